import type { Lock, Note, UnreadableReason } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { SeenVotes, SeenWaiters } from "../formats/observation.ts";
import type { KeyPatternSet } from "../redis/glob.ts";
import type { Notes } from "./annotations/notes.ts";
import type { Runbooks } from "./annotations/runbooks.ts";
import { toFreeLock, toLock } from "./holds/lock-view.ts";
import type { ObservedHold } from "./holds/observed-hold.ts";
import type { LockIndex } from "./index/lock-index.ts";

/** Maximum number of keys in the `sharedWith` list of a lock. */
const SHARED_WITH_MAX = 20;

/** Converts holds in the index to their API form, and adds notes, runbooks and the keys that share a token. */
export class LockPresenter {
  #notes: Notes | undefined;

  constructor(
    private readonly target: string,
    private readonly index: LockIndex,
    private readonly findVotes: (key: Key) => SeenVotes | undefined,
    /** Returns the reason why a watched key cannot be read, or `undefined` if the key is readable. */
    readonly findUnreadable: (key: Key) => UnreadableReason | undefined,
    private readonly runbooks: Runbooks | undefined,
  ) {}

  attachNotes(notes: Notes): void {
    this.#notes = notes;
  }

  /** Returns up to 20 other keys with the same token. If `allowedKeys` is set, omits all keys outside that set. */
  findKeysSharingToken(hold: ObservedHold, allowedKeys?: KeyPatternSet): readonly Key[] {
    const keys = this.index.findKeysSharingToken(hold, SHARED_WITH_MAX);
    return allowedKeys === undefined ? keys : keys.filter((key) => allowedKeys.has(key));
  }

  toLock(hold: ObservedHold, sharedWith = this.findKeysSharingToken(hold)): Lock {
    return this.#annotate(toLock(this.target, hold, sharedWith), hold.key, hold);
  }

  /**
   * Returns the API form of a key that is free or cannot be read.
   *
   * @param votes the votes of a quorum's masters on the key; defaults to the current votes
   */
  toFreeLock(key: Key, asOf: number, waiters?: SeenWaiters, votes = this.findVotes(key)): Lock {
    const lock = this.#annotate(toFreeLock(this.target, key, asOf, waiters, votes), key, undefined);
    const unreadable = this.findUnreadable(key);
    return unreadable === undefined ? lock : { ...lock, unreadable };
  }

  /** Returns the note on the key or on its current hold, or `undefined` if neither has a note. */
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
