"use client";

import { type KeyboardEvent, useState } from "react";
import type { Completion } from "./completion.ts";

export type CompletionSource = (text: string, caret: number) => Completion | undefined;

interface CompletionState {
  /** The completions to show; `undefined` if there are none. */
  completion: Completion | undefined;
  /** Index of the completion that Enter accepts; -1 if there is none. */
  active: number;
  load(): void;
  close(): void;
  /** Opens the list for a caret position. Call this after each change of the text. */
  open(caret: number): void;
  /** Handles a key press. @returns whether the list handled it */
  onKey(event: KeyboardEvent<HTMLInputElement>): boolean;
}

/**
 * Manages the completions of a search box. No completion is selected until the user presses an arrow key. Until then,
 * Enter and Tab keep their usual effect.
 */
export function useCompletion(
  text: string,
  loadCompletion: (() => Promise<CompletionSource>) | undefined,
  take: (completion: Completion, text: string) => void,
): CompletionState {
  const [completionOf, setCompletionOf] = useState<CompletionSource>();
  const [caret, setCaret] = useState<number | null>(null);
  const [active, setActive] = useState(-1);
  const completion = caret === null ? undefined : completionOf?.(text, caret);
  const close = () => {
    setCaret(null);
    setActive(-1);
  };
  const open = (at: number) => {
    setCaret(at);
    setActive(-1);
  };
  const move = (by: 1 | -1, at: number) => {
    if (completion === undefined) {
      open(at);
      return;
    }
    const { length } = completion.items;
    // The list wraps around. Between the last and the first completion, no completion is selected (-1).
    setActive((present) => ((present + 1 + by + length + 1) % (length + 1)) - 1);
  };
  return {
    completion,
    active,
    load() {
      // If loading fails, the search box works without completions, and loading is retried on the next focus.
      if (completionOf === undefined)
        loadCompletion?.().then(
          (loaded) => setCompletionOf(() => loaded),
          () => undefined,
        );
    },
    close,
    open,
    onKey(event) {
      const chosen = completion?.items[active];
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        if (loadCompletion === undefined) return false;
        move(event.key === "ArrowDown" ? 1 : -1, event.currentTarget.selectionEnd ?? text.length);
      } else if (
        (event.key === "Enter" || event.key === "Tab") &&
        completion !== undefined &&
        chosen !== undefined
      ) {
        take(completion, chosen.text);
      } else if (event.key === "Escape" && completion !== undefined) {
        close();
      } else return false;
      event.preventDefault();
      return true;
    },
  };
}
