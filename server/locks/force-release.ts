import type { ForceReleased, ForceReleaseInput } from "../../lib/contract/force.ts";
import { fieldsOfKey, type Key } from "../../lib/contract/key.ts";
import type { Journal } from "../history/journal.ts";
import { failureOf } from "../redis/failure.ts";
import type { Hold } from "../watch/hold.ts";
import { compareVersion, isWatchedVersion } from "../watch/version.ts";
import type { Watcher } from "../watch/watcher.ts";
import { answered } from "./answered.ts";
import {
  ChangedError,
  LockkeeperError,
  ReasonRequiredError,
  UnavailableError,
  UnsureError,
} from "./errors.ts";
import type { Locks } from "./locks.ts";
import { heldText, notALock } from "./refusals.ts";
import { reservedOwner } from "./reserve.ts";

interface Parts {
  readonly locks: Locks;
  readonly watcher: Watcher;
  readonly journal: Journal;
}

/**
 * Frees the hold that the operator saw, or nothing.
 *
 * Compared twice: here with what watching knows (the same owner string may come back), and by the script with
 * what is in Redis at that moment. What is left is a foreign owner that released and took again so recently that
 * the notification has not arrived.
 *
 * @throws LockkeeperError reason_required, changed, unsure, not_a_lock, key_not_allowed, unavailable, unknown_outcome
 */
export async function freeByForce(
  parts: Parts,
  key: Key,
  ask: ForceReleaseInput & { readonly by: string },
): Promise<ForceReleased> {
  const reason = ask.reason.trim();
  if (reason === "") {
    throw new ReasonRequiredError("The holder may be alive: say in `reason` why the lock is freed.");
  }
  const { observation, hold } = await lookAt(parts.watcher, key, isWatchedVersion(ask.expect));
  if (observation.state === "not_a_lock") throw notALock(key, observation.type);
  if (hold === undefined) return alreadyGone(parts, key, ask.by, observation.asOf);
  assertExpected(parts.watcher, hold, ask);
  const [holder] = hold.seen.holders;
  const { by, holdOffMs } = ask;
  const holdOff = holdOffMs === undefined ? undefined : { owner: reservedOwner(by), holdOffMs };
  const reply = await parts.locks.forceRelease(hold.seen, { holder: undefined, by, reason, holdOff });
  if (reply.outcome === "not_a_lock") throw notALock(key, reply.type);
  if (reply.outcome === "gone") return alreadyGone(parts, key, by, reply.asOf);
  if (reply.outcome === "changed") throw await changed(parts.watcher, key);
  const { asOf } = reply;
  const heldOff = holdOff === undefined ? {} : { heldOff: holdOff };
  return { ...fieldsOfKey(key), outcome: "released", owner: holder.owner, by, ...heldOff, asOf };
}

/** Of a foreign hold our word is as good as our hearing: that is made sure of first. */
async function lookAt(watcher: Watcher, key: Key, isForeign: boolean) {
  try {
    if (isForeign) await watcher.confirmSight();
    const { observation, hold } = await watcher.look(key);
    return { observation: answered(observation), hold };
  } catch (cause) {
    if (cause instanceof LockkeeperError || failureOf(cause) === "fault") throw cause;
    throw new UnavailableError("Redis does not answer. Nothing was released; try again.", { cause });
  }
}

function assertExpected(watcher: Watcher, hold: Hold, { expect, ifUnsure }: ForceReleaseInput): void {
  const comparison = compareVersion(expect, hold);
  if (comparison === "same" || (comparison === "unsure" && ifUnsure === "release")) return;
  throw comparison === "changed" ? changedTo(watcher, hold) : unsure(watcher, hold);
}

function unsure(watcher: Watcher, hold: Hold): UnsureError {
  const lock = watcher.lockOf(hold);
  return new UnsureError(
    `${JSON.stringify(hold.seen.holders[0].owner)} holds the lock, but it was not watched all the time since you looked: it may have been released and taken again. Nothing was released. To free it all the same, send its present version with "ifUnsure": "release".`,
    { lock, version: lock.version },
  );
}

function changedTo(watcher: Watcher, hold: Hold): ChangedError {
  const lock = watcher.lockOf(hold);
  return new ChangedError(
    `This is another hold than the one you saw; it is ${heldText(hold.seen.holders[0].owner)} now. Nothing was released.`,
    { lock, holders: lock.holders, remainingMs: lock.remainingMs, version: lock.version },
  );
}

async function changed(watcher: Watcher, key: Key): Promise<ChangedError> {
  const { hold } = await lookAt(watcher, key, false);
  if (hold !== undefined) return changedTo(watcher, hold);
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
