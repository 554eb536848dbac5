"use client";

import { type RefObject, useEffect, useState } from "react";

/**
 * Time, in ms, after which a pointer that does not move no longer counts as reading. Readers move the pointer
 * occasionally.
 */
const POINTER_IDLE_MS = 60_000;

/**
 * Returns whether the keyboard focus or a pointer that moved in the last 60 s is in an element. A dialog that was
 * opened from the element counts as part of the element, because the content behind the dialog must not move.
 */
export function useIsReading(place: RefObject<HTMLElement | null>): boolean {
  const pointer = useIsPointerInside(place);
  const keyboard = useIsFocusInside(place);
  return pointer || keyboard;
}

/**
 * The attribute of a control outside an element, with the id of the element as its value. Pointing at or focusing such
 * a control counts as reading the element.
 */
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
      // Rows that change under a resting pointer also cause pointer events.
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
    // While the focus moves between two elements, neither element has the focus for a moment.
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
