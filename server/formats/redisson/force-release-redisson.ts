import { formatKey } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import {
  buildCompanionKey,
  buildFairKeys,
  buildHolderCompanionKey,
  buildLockKeyPair,
  buildPlainPermitsKey,
  buildReadWriteChannel,
  buildTokenChannel,
  buildWakeChannel,
} from "../keys.ts";
import type { ForceReleaseParams, FormatReleaseTerms } from "../lock-format.ts";
import { formatShardedFlag, LOCK_WRITERS } from "../lock-writer.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { runOrRetryWithout } from "../release-signals.ts";
import { type ForceReleaseReply, parseForceReleaseReply } from "../script-replies.ts";
import { isUnnamedCounter } from "./detect-redisson.ts";
import { buildOpenedKey } from "./latch-scripts.ts";
import { buildPermitCompanionKey, computePermitIds } from "./permit-ids.ts";
import { buildReaderLeases } from "./reader-leases.ts";
import { buildLatchChannel, buildPermitsKey, buildSemaphoreChannel } from "./redisson-keys.ts";
import { parseEntry, toWriterField } from "./redisson-owner.ts";

type Keys = RedisArgument[];

const createReleaseScript = (name: string) =>
  new Script<Keys, Keys, ForceReleaseReply>(new URL(name, import.meta.url), parseForceReleaseReply);
const holdersScript = createReleaseScript("force-release-holders.lua");
const entriesScript = createReleaseScript("force-release-entries.lua");
const permitsScript = createReleaseScript("force-release-permits.lua");
const counterScript = createReleaseScript("force-release-counter.lua");

/** Returns the restrictions on releasing a Redisson lock, and notes for the operator; empty if there are none. */
export function getRedissonReleaseTerms(seen: HeldObservation): FormatReleaseTerms {
  if (seen.isPlain === true) {
    return {
      reservable: false,
      why: "Releases permits of Lockkeeper's holders only. Redis does not store who has the other permits.",
    };
  }
  if (!isUnnamedCounter(seen))
    return seen.kind === "semaphore" || seen.kind === "multi" ? { reservable: false } : {};
  if (seen.confidence === "possible") {
    return {
      never: {
        why: "Without waiters, this number can be a semaphore, a latch or a counter. Releasing one kind would break the others.",
        instead: "Try again while clients are waiting, or change it with the application that created it.",
      },
    };
  }
  if (seen.kind === "latch") {
    return {
      reservable: false,
      why: "Opens the latch for all waiters, whatever its remaining count.",
    };
  }
  return {
    reservable: false,
    why: "Releases one permit, because Redis does not store who has the others. If its holder is alive and releases it as well, the semaphore has one extra permit.",
  };
}

/** Force-releases a Redisson lock, with the script for its kind. */
export function forceReleaseRedisson(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ForceReleaseParams,
): Promise<ForceReleaseReply> {
  if (isUnnamedCounter(seen)) return forceReleaseCounter(redis, channel, seen, ask);
  if (seen.kind === "semaphore") return forceReleasePermits(redis, channel, seen, ask);
  if (seen.kind === "multi") return forceReleaseEntries(redis, channel, seen, ask);
  if (seen.kind === "read" || seen.kind === "write" || seen.holders.length > 1) {
    return forceReleaseHolders(redis, channel, seen, ask);
  }
  const [{ token, fence }] = seen.holders;
  const { by, reason, reservation } = ask;
  const request = { token, fence, by, reason, reservation };
  const run = (queue: readonly RedisArgument[]) =>
    LOCK_WRITERS.redisson.forceRelease(redis, channel, seen.key, request, queue);
  return runOrRetryWithout(run, buildFairKeys(seen.key));
}

const formatActor = ({ by, reason }: ForceReleaseParams) => JSON.stringify({ by, reason });

/** Returns the holders to release: the requested holder, or all holders of the lock. */
function selectHolders({ holders }: HeldObservation, { holder }: ForceReleaseParams): readonly SeenHolder[] {
  return holder === undefined ? holders : [holder];
}

function forceReleaseHolders(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ForceReleaseParams,
) {
  const { key, kind, holders } = seen;
  const mode = kind === "read" || kind === "write" ? kind : "";
  const one = holders.length > 1 ? ask.holder : undefined;
  const released = one === undefined ? holders : [one];
  const [wake, message] = mode === "" ? [buildWakeChannel(key), "0"] : [buildReadWriteChannel(key), "1"];
  const { reservation } = ask;
  const reserved = reservation && (mode === "" ? reservation.owner : toWriterField(reservation.owner));
  const all = buildReaderLeases(seen);
  const isReleased = ({ reader }: { reader: SeenHolder }) =>
    released.some(({ token }) => token === reader.token);
  const releasedLeases = all.filter(isReleased).flatMap(({ leases }) => leases);
  const otherLeases = all.filter((each) => !isReleased(each)).flatMap(({ leases }) => leases);
  const own = released.filter(({ role, fence }) => role === "read" && fence !== null);
  const companions = own.map(({ token }) => buildHolderCompanionKey(key, formatKey(token)));
  const writer = released.find(({ role, fence }) => role !== "read" && fence !== null);
  const run = (leases: readonly RedisArgument[]) =>
    holdersScript.run(
      redis,
      [...buildLockKeyPair(key), ...companions, ...leases],
      [
        ...[mode, one?.token ?? "", writer?.fence ?? ""],
        ...[formatActor(ask), wake, message, channel, formatShardedFlag(redis)],
        ...[reservation?.reservedMs ?? "", reserved ?? "", leases.length === 0 ? 0 : releasedLeases.length],
        companions.length,
        ...holders.flatMap(({ token, count }) => [token, count]),
      ],
    );
  return runOrRetryWithout(run, [...releasedLeases, ...otherLeases]);
}

function forceReleaseEntries(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ForceReleaseParams,
) {
  const entries = selectHolders(seen, ask).map(({ token }) => parseEntry(token) ?? [token, ""]);
  return entriesScript.run(
    redis,
    [toRedisArgument(seen.key)],
    [
      ...[ask.holder === undefined ? "all" : "one", formatActor(ask), buildWakeChannel(seen.key)],
      ...[channel, formatShardedFlag(redis), ...entries.flat()],
    ],
  );
}

function forceReleasePermits(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ForceReleaseParams,
) {
  const { key } = seen;
  const holds = selectHolders(seen, ask).map(toPermitHold);
  const [first, ...others] = holds.map(({ ids: [id = Buffer.of()] }) => buildPermitCompanionKey(key, id));
  return permitsScript.run(
    redis,
    [
      ...[toRedisArgument(key), first ?? ""],
      ...[seen.isPlain === true ? buildPlainPermitsKey(key) : buildPermitsKey(key), ...others],
    ],
    [
      ...[ask.holder === undefined ? "all" : "one", formatActor(ask), buildSemaphoreChannel(key)],
      ...[channel, formatShardedFlag(redis)],
      ...holds.flatMap(({ words, ids }) => [ids.length, ...words, ...ids]),
    ],
  );
}

/**
 * Returns the ids of a hold's permits, and the owner, token, fencing token and client channel of the hold. The last
 * three are empty for a hold of another library.
 */
function toPermitHold({ token, owner, count, fence }: SeenHolder) {
  const text = String(token);
  if (fence === null) return { ids: [Buffer.from(text, "hex")], words: [text, "", "", ""] };
  const words = [toRedisArgument(owner), text, fence, buildTokenChannel(text) ?? ""];
  return { ids: computePermitIds(text, count), words };
}

function forceReleaseCounter(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: ForceReleaseParams,
) {
  const { key, kind, permits } = seen;
  const [{ token, count }] = seen.holders;
  const isLatch = kind === "latch";
  return counterScript.run(
    redis,
    [toRedisArgument(key), ...(isLatch ? [buildOpenedKey(key), buildCompanionKey(key)] : [])],
    [
      ...[isLatch ? "latch" : "semaphore", isLatch ? count : (permits?.available ?? 0), token],
      ...[
        formatActor(ask),
        isLatch ? buildLatchChannel(key) : buildSemaphoreChannel(key),
        channel,
        formatShardedFlag(redis),
      ],
    ],
  );
}
