import { isWritableFormat, type WritableFormat, type WritableKind } from "../../../lib/contract/format.ts";
import { isReadWrite } from "../../formats/kind-keys.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import { findLockFormat } from "../../formats/registry/lock-formats.ts";
import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import type { ExtendReply, ForceReleaseReply } from "../../formats/script-replies.ts";
import type { Commands } from "../../redis/commands.ts";
import { attempt } from "./attempt.ts";
import type { ExtendParams } from "./contract/verbs.ts";
import { assertMappable } from "./error-factories.ts";

/**
 * Force-releases a hold only if the lock still has the hold that the operator saw. Throws the same errors as
 * `RedisLocks.forceRelease`.
 */
export async function forceReleaseSeen(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ForceReleaseParams,
): Promise<ForceReleaseReply> {
  assertMappable(seen.key);
  const releaser = findLockFormat(seen.format, seen.type)?.releaser;
  if (releaser === undefined) throw new Error(`No releaser for a lock of ${seen.format}`);
  const call = () => releaser.forceRelease(redis, channel, seen, ask);
  // Not repeated after an unknown outcome, because the same owner may have acquired the lock again by then.
  return await attempt(redis, call, { repeat: "not_executed" });
}

/**
 * Extends a hold only if the lock still has the hold that the operator saw. Throws the same errors as
 * `RedisLocks.extend`.
 */
export async function extendSeen(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ExtendParams,
): Promise<ExtendReply> {
  assertMappable(seen.key);
  const [{ token, fence }] = seen.holders;
  const writer = getLockWriter({ format: getWrittenFormat(seen), kind: getWrittenKind(seen) });
  const call = () => writer.extend(redis, channel, seen.key, { ...ask, token, fence });
  return await attempt(redis, call, { repeat: "not_executed" });
}

/**
 * Returns the kind whose script extends a lock: the actual kind for a read/write lock of Redisson, otherwise `lock`.
 */
function getWrittenKind({ format, kind }: HeldObservation): WritableKind {
  return format === "redisson" && isReadWrite(kind) ? kind : "lock";
}

/**
 * Returns the format whose script extends a lock: the actual format if Lockkeeper can write it, otherwise `token`,
 * because every string lock ends when its key expires.
 */
function getWrittenFormat({ format }: HeldObservation): WritableFormat {
  return isWritableFormat(format) ? format : "token";
}
