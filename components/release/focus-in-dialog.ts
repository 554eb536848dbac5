import type { RefObject } from "react";

/**
 * Focuses an element in a dialog immediately, and again two frames later if the focus has moved to an ancestor of the
 * element. The second attempt is needed because the dialog moves the focus one frame after the focused control is
 * removed.
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
