"use client";

import { type KeyboardEvent, useState } from "react";
import type { Completion } from "./completion.ts";

export type CompletionSource = (text: string, caret: number) => Completion | undefined;

interface CompletionState {
  /** undefined: nothing is offered. */
  completion: Completion | undefined;
  /** The one that Enter takes; -1: none. */
  active: number;
  load(): void;
  close(): void;
  /** After typing, or a move of the caret while it is open. */
  open(caret: number): void;
  /** Whether the key was meant for the list. */
  onKey(event: KeyboardEvent<HTMLInputElement>): boolean;
}

/** What a box offers while one types. Nothing is chosen until an arrow chooses it, so Enter and Tab stay as they are. */
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
    // One place more than there are: the box itself.
    setActive((present) => ((present + 1 + by + length + 1) % (length + 1)) - 1);
  };
  return {
    completion,
    active,
    load() {
      // Without it the box is a box: what could not be loaded is tried again with the next focus.
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
