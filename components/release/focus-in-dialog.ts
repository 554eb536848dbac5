import type { RefObject } from "react";

/**
 * Focuses an element of a dialog immediately, and again two frames later if the focus has moved to an ancestor of the
 * element. When the focused control is removed, the dialog moves the focus in the next frame.
 *
 * @returns a function that cancels the pending focus
 */
export function focusInDialog(place: RefObject<HTMLElement | null>): () => void {
  place.current?.focus();
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(() => {
      const { activeElement } = document;
      const isTaken = activeElement !== place.current && activeElement?.contains(place.current);
      if (isTaken) place.current?.focus();
    });
  });
  return () => cancelAnimationFrame(frame);
}
