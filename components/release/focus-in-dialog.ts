import type { RefObject } from "react";

/**
 * Focuses an element of a dialog now and two frames later: a dialog takes the focus itself in the next frame when the
 * focused control was removed.
 *
 * @returns cancels what is still to come
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
