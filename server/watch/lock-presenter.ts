import type { Lock, Note, UnreadableReason } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { SeenVotes, SeenWaiters } from "../formats/observation.ts";
import type { KeyPatternSet } from "../redis/glob.ts";
import type { Notes } from "./annotations/notes.ts";
import type { Runbooks } from "./annotations/runbooks.ts";
import { toFreeLock, toLock } from "./holds/lock-view.ts";
import type { ObservedHold } from "./holds/observed-hold.ts";
import type { LockIndex } from "./index/lock-index.ts";

/** Maximum number of keys that a lock lists as sharing its token. */
const SHARED_WITH_MAX = 20;

/** Converts holds in the index to their API form, with notes, runbooks and the keys that share the token. */
export class LockPresenter {
  #notes: Notes | undefined;

  constructor(
    private readonly target: string,
    private readonly index: LockIndex,
    private readonly findVotes: (key: Key) => SeenVotes | undefined,
    /** Returns why a watched key cannot be read; `undefined` if it can. */
    readonly findUnreadable: (key: Key) => UnreadableReason | undefined,
    private readonly runbooks: Runbooks | undefined,
  ) {}

  attachNotes(notes: Notes): void {
    this.#notes = notes;
  }

  /** Returns up to 20 other keys with the same token. If `allowedKeys` is given, omits keys outside that set. */
  findKeysSharingToken(hold: ObservedHold, allowedKeys?: KeyPatternSet): readonly Key[] {
    const keys = this.index.findKeysSharingToken(hold, SHARED_WITH_MAX);
    return allowedKeys === undefined ? keys : keys.filter((key) => allowedKeys.has(key));
  }

  toLock(hold: ObservedHold, sharedWith = this.findKeysSharingToken(hold)): Lock {
    return this.#annotate(toLock(this.target, hold, sharedWith), hold.key, hold);
  }

  /**
   * Converts a key that is free or cannot be read to its API form.
   *
   * @param votes the votes on the key; defaults to the current votes
   */
  toFreeLock(key: Key, asOf: number, waiters?: SeenWaiters, votes = this.findVotes(key)): Lock {
    const lock = this.#annotate(toFreeLock(this.target, key, asOf, waiters, votes), key, undefined);
    const unreadable = this.findUnreadable(key);
    return unreadable === undefined ? lock : { ...lock, unreadable };
  }

  /** Returns the note about the key or its current hold, or `undefined` if there is none. */
  findNote(key: Key, hold: ObservedHold | undefined): Note | undefined {
    return this.#notes?.find(key, hold);
  }

  #annotate(lock: Lock, key: Key, hold: ObservedHold | undefined): Lock {
    const note = this.findNote(key, hold);
    const runbook = this.runbooks?.findUrl(key);
    if (note === undefined && runbook === undefined) return lock;
    return {
      ...lock,
      ...(note === undefined ? {} : { note }),
      ...(runbook === undefined ? {} : { runbook }),
    };
  }
}
