import type { RefObject } from "react";

/**
 * Focuses an element of a dialog now and again two frames later. If the focused control was removed, the dialog itself
 * moves the focus in the next frame.
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
