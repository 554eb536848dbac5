"use client";

import { useEffect, useRef } from "react";
import { isOverlayActive } from "./overlay-opening.ts";

/** The handlers of shortcuts, by `event.key` in lowercase. */
export type ShortcutMap = Record<string, (event: KeyboardEvent) => void>;

function isShortcutIgnored(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (isOverlayActive()) return true;
  const { target } = event;
  return (
    target instanceof HTMLElement &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null
  );
}

/**
 * Handles single-key shortcuts for the whole page. Ignores key presses with Ctrl, ⌘ or Alt, key presses in text fields
 * and select boxes, and key presses while an overlay is open or opening.
 */
export function useShortcuts(keys: ShortcutMap): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (isShortcutIgnored(event)) return;
      latest.current[event.key.toLowerCase()]?.(event);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
