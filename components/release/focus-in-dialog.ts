import type { RefObject } from "react";

/**
 * Focuses an element of a dialog now and two frames later, because a dialog moves the focus itself in the next frame if
 * the focused control was removed.
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
