/** Matches open dialogs and menus, which capture the keyboard. */
const OPEN_OVERLAY = "dialog[open], [role=dialog], [role=alertdialog], [role=menu]";
const OPEN_DIALOG = "dialog[open], [role=dialog], [role=alertdialog]";

interface OpeningOverlay {
  cancel(): void;
}

/** The overlay that is opening; `null` if there is none. Opening another overlay cancels the first. */
let opening: OpeningOverlay | null = null;

/**
 * Returns whether an overlay is open, or is opening and not focused yet. Shortcuts must have no effect in either case.
 */
export function isOverlayActive(): boolean {
  return opening !== null || document.querySelector(OPEN_OVERLAY) !== null;
}

/** Returns whether a dialog is open, or an overlay is opening. */
export function isDialogActive(): boolean {
  return opening !== null || document.querySelector(OPEN_DIALOG) !== null;
}

/** Keys that are left to the browser: Tab and the modifier keys. */
const PASSED_KEYS: ReadonlySet<string> = new Set(["Tab", "Shift", "Control", "Alt", "Meta", "CapsLock"]);

/**
 * Returns whether the browser handles the key press, such as Ctrl+R. Always false for Ctrl+K, which is a shortcut of
 * Lockkeeper.
 */
function isBrowserKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (PASSED_KEYS.has(key) || /^F\d+$/.test(key)) return true;
  return (ctrlKey || metaKey || altKey) && key.toLowerCase() !== "k";
}

/**
 * Captures the keyboard while the code of an overlay loads, until the overlay has the focus or the returned function is
 * called. During this time, only Escape (which calls `onCancel`), Tab and browser shortcuts have an effect. Cancels
 * another overlay that is still opening.
 *
 * Call this in the event-loop turn that opens the overlay. A layout effect qualifies, because React renders the result
 * of a key press or click before the next event.
 */
export function captureKeyboard(onCancel: () => void): () => void {
  opening?.cancel();
  const own: OpeningOverlay = { cancel: onCancel };
  opening = own;
  const swallowKey = (event: KeyboardEvent) => {
    event.stopImmediatePropagation();
    if (isBrowserKey(event)) return;
    event.preventDefault();
    if (event.key === "Escape") onCancel();
  };
  const checkFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.closest(OPEN_OVERLAY) !== null) stop();
  };
  const stop = () => {
    if (opening === own) opening = null;
    window.removeEventListener("keydown", swallowKey, true);
    document.removeEventListener("focusin", checkFocus);
  };
  window.addEventListener("keydown", swallowKey, true);
  document.addEventListener("focusin", checkFocus);
  return stop;
}
