import type { Note } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Hold } from "../../watch/holds/observed-hold.ts";
import type { Watcher } from "../../watch/watcher.ts";

interface Made {
  readonly text: string;
  /** With whom it shared its token then: that changes without it. */
  readonly sharedWith: readonly Key[];
  readonly note: string;
}

/** The JSON of holds, made once for each look at them, for however many tabs and moments. */
export class RowTexts {
  readonly #made = new WeakMap<Hold, Made>();

  constructor(private readonly watcher: Pick<Watcher, "lockOf" | "noteOf" | "sharedWith">) {}

  of(hold: Hold): string {
    const sharedWith = this.watcher.sharedWith(hold);
    const known = this.#made.get(hold);
    const note = nameOf(this.watcher.noteOf(hold.key, hold));
    if (known?.note === note && isSame(known.sharedWith, sharedWith)) return known.text;
    const text = JSON.stringify(this.watcher.lockOf(hold, sharedWith));
    this.#made.set(hold, { text, sharedWith, note });
    return text;
  }
}

/** Tells a note from any other. */
export function nameOf(note: Note | undefined): string {
  return note === undefined ? "" : `${note.at} ${note.by} ${note.text}`;
}

function isSame(one: readonly Key[], two: readonly Key[]): boolean {
  return one.length === two.length && one.every((key, at) => key === two[at]);
}
