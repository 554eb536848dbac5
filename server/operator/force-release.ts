import type { ForceReleased, ForceReleaseInput } from "../../lib/contract/actions/force-release.ts";
import { looksAlive } from "../../lib/contract/actions/looks-alive.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { fieldsOfKey, type Key, textOfKey } from "../../lib/keys/key.ts";
import { LostError } from "../errors/lock-errors.ts";
import { ChangedError, ReasonRequiredError } from "../errors/operator-errors.ts";
import type { FreeAsk } from "../formats/lock-format.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { Journal } from "../history/journal.ts";
import { noLockSeen, notALock } from "../locks/verbs/error-factories.ts";
import { whileRedisAnswers } from "../locks/verbs/explain-redis-failure.ts";
import { answered } from "../locks/verbs/require-readable.ts";
import { reservedOwner } from "../locks/verbs/reserved-owner.ts";
import type { OperatorVerbs } from "../locks/verbs/verbs.ts";
import type { KeyRange } from "../redis/glob.ts";
import { isWatchedVersion, matchVersion, versionOf } from "../watch/holds/hold-version.ts";
import { isSameHolder } from "../watch/holds/holder-identity.ts";
import type { HeldBy, Hold } from "../watch/holds/observed-hold.ts";
import { leaseOf, sinceOf } from "../watch/holds/observed-hold.ts";
import { remakingMsOf } from "../watch/holds/renewal-policy.ts";
import type { Watcher } from "../watch/watcher.ts";
import { changedTo, notAlone, notAs, notKeptOff, unsure } from "./operator-errors.ts";
import { formatToFree } from "./release-format.ts";
import { freeTogether, keysTogether } from "./shared-key-release.ts";

interface Parts {
  readonly locks: OperatorVerbs;
  readonly watcher: Watcher;
  readonly journal: Journal;
}

type Ask = ForceReleaseInput & {
  readonly by: string;
  /** Of the keys that were taken together only these are freed; undefined: all. */
  readonly within?: KeyRange | undefined;
};

/**
 * Frees the hold that the operator saw, or nothing.
 *
 * Compared twice: here with what watching knows (the same owner string may come back), and by the script with
 * what is in Redis at that moment; a hold of ours by the script alone. What is left is a foreign owner that released
 * and took again so recently that the notification has not arrived.
 *
 * @throws LockkeeperError reason_required, format_required, read_only, invalid, changed, unsure, not_a_lock,
 *   key_not_allowed, unavailable, unknown_outcome
 */
export async function freeByForce(parts: Parts, key: Key, ask: Ask): Promise<ForceReleased> {
  const { watcher, locks } = parts;
  const found = pictured(parts, key, ask) ?? (await find(parts, key, ask));
  if ("goneAt" in found) return alreadyGone(parts, key, ask.by, found.goneAt);
  const { hold, seen, holder } = found;
  const reason = reasonFor(ask, () => lockFor(watcher, hold, ask));
  const freeAsk = freeAskOf(seen, holder, { ...ask, reason });
  const others = keysTogether(watcher, hold, seen.format).filter((each) => ask.within?.has(each) ?? true);
  const reply = await locks.forceRelease(seen, freeAsk);
  if (reply.outcome === "not_a_lock") throw notALock(key, reply.type);
  if (reply.outcome === "gone") return alreadyGone(parts, key, ask.by, reply.asOf);
  if (reply.outcome === "changed") throw await changed(watcher, key, ask.within);
  watcher.freedAs(seen, freeAsk.holder);
  const together = await freeTogether(parts, others, seen, freeAsk);
  return {
    ...{ ...fieldsOfKey(key), outcome: "released", by: ask.by, asOf: reply.asOf },
    ...freedOf(hold, holder ?? hold.holders[0], reply.asOf),
    ...(freeAsk.holdOff === undefined ? {} : { heldOff: freeAsk.holdOff }),
    ...(together.length === 0 ? {} : { together }),
    ...(reply.masters === undefined ? {} : { masters: [...reply.masters] }),
    watchMs: remakingMsOf(seen, leaseOf(hold)),
  };
}

/** What is known of the hold that was freed, as the picture had it. */
function freedOf(
  hold: Hold,
  holder: HeldBy,
  asOf: number,
): Pick<ForceReleased, "owner" | "fence" | "heldMs" | "waiters"> {
  const { since, sinceIs } = sinceOf(holder);
  return {
    owner: textOfKey(holder.seen.owner),
    ...(holder.seen.fence === null ? {} : { fence: holder.seen.fence }),
    // An owner string tells its client's time, and may mean when it began to wait.
    ...(sinceIs === "told" ? {} : { heldMs: Math.max(0, asOf - since) }),
    ...(hold.seen.waiters === undefined ? {} : { waiters: hold.seen.waiters }),
  };
}

/** Empty where nothing speaks for a living holder. @throws ReasonRequiredError */
function reasonFor({ reason }: Pick<Ask, "reason">, lockNow: () => Lock): string {
  const given = reason.trim();
  if (given === "" && looksAlive(lockNow()))
    throw new ReasonRequiredError(
      "The holder looks alive: say in `reason` why the lock is freed. Nothing was released.",
    );
  return given;
}

type WhatAsk = Pick<Ask, "expect" | "format" | "holdOffMs" | "within"> & {
  readonly ifUnsure: Ask["ifUnsure"] | "extend";
  /** What it is looked at for; `release` by default. */
  readonly doing?: "release" | "extend";
};

/** The hold that the request names, as it is now; undefined: it is over. @throws LockkeeperError as `freeByForce` */
export async function wouldFree(parts: Parts, key: Key, ask: WhatAsk): Promise<Hold | undefined> {
  const found = await find(parts, key, ask);
  return "goneAt" in found ? undefined : found.hold;
}

/** What a release of a hold would be refused for, as far as the picture tells. @throws LockkeeperError */
export function judge(watcher: Watcher, hold: Hold, ask: WhatAsk) {
  const lock = lockFor(watcher, hold, ask);
  return { format: formatToFree(lock, ask), holder: expectedOf(lock, hold, ask) };
}

interface Present {
  readonly hold: Hold;
  readonly seen: HeldObservation;
  readonly holder: HeldBy | undefined;
}

type Found = Present | { readonly goneAt: number };

/**
 * A hold of ours as the picture has it. Its fence names it and the script compares that, so nothing that a look would
 * tell is missing; of a quorum each master has to be looked at.
 */
function pictured({ watcher }: Parts, key: Key, ask: WhatAsk): Present | undefined {
  const hold = watcher.mirror.get(key);
  // Without an answer to a look nothing was done; without one to the script nobody could say.
  if (!watcher.isUp || hold === undefined) return undefined;
  if (hold.seen.state !== "held" || hold.seen.votes !== undefined) return undefined;
  const [{ seen }, ...others] = hold.holders;
  const isIt = others.length === 0 && seen.fence !== null && ask.expect === versionOf(hold);
  if (!isIt || (ask.format ?? hold.seen.format) !== hold.seen.format) return undefined;
  return { hold, seen: hold.seen, holder: judge(watcher, hold, ask).holder };
}

/**
 * The hold that was seen, or one that may be it: for what does it no harm.
 *
 * @throws LockkeeperError lost, changed, not_a_lock, unavailable
 */
export async function lookAtSeen(
  watcher: Watcher,
  key: Key,
  expect: string,
  within: Ask["within"],
): Promise<Hold> {
  const { observation, hold } = await lookAt(watcher, key, false);
  if (observation.state === "not_a_lock") throw noLockSeen(observation);
  if (hold === undefined)
    throw new LostError("The hold that you saw is over. Look at the lock.", fieldsOfKey(key));
  if (matchVersion(expect, hold).comparison === "changed")
    throw changedTo(lockFor(watcher, hold, { within }));
  return hold;
}

/** The hold that is meant, as it is now, compared with what the picture knows. @throws LockkeeperError as `freeByForce` */
export async function find({ watcher }: Pick<Parts, "watcher">, key: Key, ask: WhatAsk): Promise<Found> {
  const { observation, hold } = await lookAt(watcher, key, isWatchedVersion(ask.expect));
  if (observation.state === "not_a_lock") throw noLockSeen(observation);
  if (hold === undefined || hold.seen.state === "ended") return { goneAt: observation.asOf };
  const { format, holder } = judge(watcher, hold, ask);
  const seen = format === hold.seen.format ? hold.seen : await seenAs(watcher, hold, format, ask);
  return { hold, seen, holder };
}

/** A lock as a refusal shows it: without the names of keys that are not the caller's to see. */
function lockFor(watcher: Watcher, hold: Hold, { within }: Pick<Ask, "within">): Lock {
  return watcher.lockOf(hold, watcher.sharedWith(hold, within));
}

function freeAskOf(seen: HeldObservation, holder: HeldBy | undefined, ask: Ask): FreeAsk {
  const { by, reason, holdOffMs } = ask;
  const one = holder && seen.holders.find((each) => isSameHolder(each, holder.seen));
  const holdOff = holdOffMs === undefined ? undefined : { owner: reservedOwner(by), holdOffMs };
  return { holder: one, by, reason, holdOff };
}

const NOTHING_RELEASED = "Nothing was released; try again.";

/** Of a foreign hold our word is as good as our hearing: that is made sure of first. */
async function lookAt(watcher: Watcher, key: Key, isForeign: boolean) {
  return await whileRedisAnswers(async () => {
    if (isForeign) await watcher.confirmSight(key);
    const { observation, hold } = await watcher.look(key);
    return { observation: answered(observation), hold };
  }, NOTHING_RELEASED);
}

/** The same hold as the format reads it that the request names. */
async function seenAs(
  watcher: Watcher,
  hold: Hold,
  format: HeldObservation["format"],
  ask: WhatAsk,
): Promise<HeldObservation> {
  const seen = await whileRedisAnswers(
    async () => answered(await watcher.lookAs(hold.key, format)),
    NOTHING_RELEASED,
  );
  const isHeld = seen.state === "held";
  if (!isHeld || seen.holders[0].owner !== hold.seen.holders[0].owner)
    throw await changed(watcher, hold.key, ask.within);
  if (seen.format !== format) throw notAs(format, lockFor(watcher, hold, ask));
  return seen;
}

/** Whose hold is meant: one of several holders', or (undefined) the lock as a whole. */
function expectedOf(lock: Lock, hold: Hold, ask: WhatAsk): HeldBy | undefined {
  const { expect, ifUnsure, holdOffMs, doing } = ask;
  const { comparison, holder } = matchVersion(expect, hold);
  if (comparison === "changed") throw changedTo(lock);
  if (holder !== undefined && lock.release?.oneHolder !== true) throw notAlone(lock);
  if (holder !== undefined && holdOffMs !== undefined && hold.holders.length > 1) throw notKeptOff(lock);
  if (comparison === "unsure" && ifUnsure === "refuse") throw unsure(lock, holder?.seen.owner, doing);
  return holder;
}

/** What is there instead, now. */
export async function changed(watcher: Watcher, key: Key, within: Ask["within"]): Promise<ChangedError> {
  const { hold } = await lookAt(watcher, key, false);
  if (hold !== undefined) return changedTo(lockFor(watcher, hold, { within }));
  return new ChangedError(
    "The holder changed as you clicked, and the lock is free by now. Nothing was released by you.",
    {},
  );
}

function alreadyGone({ journal }: Parts, key: Key, by: string, asOf: number): ForceReleased {
  const ended = journal.lastEnding(key);
  return {
    ...fieldsOfKey(key),
    outcome: "already_gone",
    by,
    ...(ended === undefined ? {} : { ended }),
    asOf,
  };
}
