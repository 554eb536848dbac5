"use client";

import { type RefObject, useEffect, useState } from "react";

/**
 * Whether somebody reads what stands in a place: the pointer or the keyboard is in it. A dialog that was opened from
 * there, or a menu, is no reason to move what stands behind it.
 */
export function useReading(place: RefObject<HTMLElement | null>): boolean {
  const [pointer, setPointer] = useState(false);
  const [keyboard, setKeyboard] = useState(false);
  useEffect(() => {
    const isIn = (target: EventTarget | null, before: boolean) => {
      if (!(target instanceof Element)) return false;
      if (target.closest("[role=dialog]") !== null) return before;
      return place.current?.contains(target) ?? false;
    };
    const over = ({ target }: Event) => setPointer((before) => isIn(target, before));
    const focused = ({ target }: Event) => setKeyboard((before) => isIn(target, before));
    // The focus is gone for a moment while it goes from one element to the other, too.
    const blurred = () => {
      setTimeout(() => setKeyboard((before) => isIn(document.activeElement, before)), 0);
    };
    const left = () => setPointer(false);
    document.addEventListener("pointerover", over);
    document.addEventListener("focusin", focused);
    document.addEventListener("focusout", blurred);
    document.documentElement.addEventListener("pointerleave", left);
    return () => {
      document.removeEventListener("pointerover", over);
      document.removeEventListener("focusin", focused);
      document.removeEventListener("focusout", blurred);
      document.documentElement.removeEventListener("pointerleave", left);
    };
  }, [place]);
  return pointer || keyboard;
}
