import type { Note } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { ObservedHold } from "../../watch/holds/observed-hold.ts";
import type { LockPresenter } from "../../watch/lock-presenter.ts";

interface CachedRow {
  readonly text: string;
  /**
   * Other keys with the same token at the time when the JSON was built. These keys can change although the hold is
   * unchanged.
   */
  readonly sharedWith: readonly Key[];
  readonly note: string;
}

/** Caches the JSON of each observed hold's row. All tabs of a target share one cache. */
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

/** Returns a string that changes when the note of a lock changes. */
export function toNoteFingerprint(note: Note | undefined): string {
  return note === undefined ? "" : `${note.at} ${note.by} ${note.text}`;
}

function isSameKeyList(one: readonly Key[], two: readonly Key[]): boolean {
  return one.length === two.length && one.every((key, at) => key === two[at]);
}
