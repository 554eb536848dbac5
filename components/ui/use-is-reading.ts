"use client";

import { type RefObject, useEffect, useState } from "react";

/** Whoever reads moves the pointer now and then; one that rests for so long was left there. */
const POINTER_IDLE_MS = 60_000;

/**
 * Whether somebody reads what stands in a place: the pointer or the keyboard is in it. A dialog that was opened from
 * there, or a menu, is no reason to move what stands behind it.
 */
export function useIsReading(place: RefObject<HTMLElement | null>): boolean {
  const pointer = useIsPointerInside(place);
  const keyboard = useIsFocusInside(place);
  return pointer || keyboard;
}

/** Attribute of a control that belongs to a place by its id: the pointer can go to it, and the place stays as it is. */
export const READING_CONTROL_ATTRIBUTE = "data-reading";

function isInside(
  place: RefObject<HTMLElement | null>,
  target: EventTarget | null,
  before: boolean,
): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("dialog, [role=dialog]") !== null) return before;
  const { current } = place;
  if (current === null) return false;
  const control = target.closest(`[${READING_CONTROL_ATTRIBUTE}]`);
  return (
    current.contains(target) ||
    (current.id !== "" && control?.getAttribute(READING_CONTROL_ATTRIBUTE) === current.id)
  );
}

function useIsPointerInside(place: RefObject<HTMLElement | null>): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    let rest: ReturnType<typeof setTimeout> | undefined;
    let at = "";
    const left = () => {
      clearTimeout(rest);
      setThere(false);
    };
    const moved = ({ target, clientX, clientY, type }: MouseEvent) => {
      const now = `${clientX} ${clientY}`;
      // Rows that change under a pointer that rests tell of it, too.
      if (now === at && type !== "wheel") return;
      at = now;
      clearTimeout(rest);
      rest = setTimeout(left, POINTER_IDLE_MS);
      setThere((before) => isInside(place, target, before));
    };
    const events = ["pointerover", "pointermove", "wheel"] as const;
    for (const event of events) document.addEventListener(event, moved, { passive: true });
    document.documentElement.addEventListener("pointerleave", left);
    return () => {
      clearTimeout(rest);
      for (const event of events) document.removeEventListener(event, moved);
      document.documentElement.removeEventListener("pointerleave", left);
    };
  }, [place]);
  return isThere;
}

function useIsFocusInside(place: RefObject<HTMLElement | null>): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const focused = ({ target }: Event) => setThere((before) => isInside(place, target, before));
    // The focus is gone for a moment while it goes from one element to the other, too.
    const blurred = () => {
      setTimeout(() => setThere((before) => isInside(place, document.activeElement, before)), 0);
    };
    document.addEventListener("focusin", focused);
    document.addEventListener("focusout", blurred);
    return () => {
      document.removeEventListener("focusin", focused);
      document.removeEventListener("focusout", blurred);
    };
  }, [place]);
  return isThere;
}
