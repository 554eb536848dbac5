import type { Note } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { ObservedHold } from "../../watch/holds/observed-hold.ts";
import type { LockPresenter } from "../../watch/lock-presenter.ts";

interface CachedRow {
  readonly text: string;
  /** With whom it shared its token then: that changes without it. */
  readonly sharedWith: readonly Key[];
  readonly note: string;
}

/** The JSON of holds, made once for each look at them, for however many tabs and moments. */
export class RowJsonCache {
  readonly #rows = new WeakMap<ObservedHold, CachedRow>();

  constructor(private readonly locks: LockPresenter) {}

  getJson(hold: ObservedHold): string {
    const sharedWith = this.locks.findKeysSharingToken(hold);
    const known = this.#rows.get(hold);
    const note = toNoteFingerprint(this.locks.findNote(hold.key, hold));
    if (known?.note === note && isSameKeyList(known.sharedWith, sharedWith)) return known.text;
    const text = JSON.stringify(this.locks.toLock(hold, sharedWith));
    this.#rows.set(hold, { text, sharedWith, note });
    return text;
  }
}

/** Tells a note from any other. */
export function toNoteFingerprint(note: Note | undefined): string {
  return note === undefined ? "" : `${note.at} ${note.by} ${note.text}`;
}

function isSameKeyList(one: readonly Key[], two: readonly Key[]): boolean {
  return one.length === two.length && one.every((key, at) => key === two[at]);
}
