import type { Confidence } from "../../../lib/contract/format.ts";
import { RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { formatKey, type Key } from "../../../lib/keys/key.ts";
import { toRedisArgument } from "../../redis/script.ts";
import type { DetailReader, DetectionBasis, LockFormat } from "../lock-format.ts";
import {
  createForeignHolder,
  type DetectedLock,
  type HeldObservation,
  type SeenHolder,
} from "../observation.ts";
import type { QueueReader } from "../queue-reader.ts";
import type { RawKey } from "../raw-key.ts";
import { isNamedAsLock } from "../strings/lock-name.ts";
import { createScoredRelease, forceReleaseUnscored } from "./force-release-members.ts";
import {
  findLastEndMs,
  isTimeScore,
  parseOwners,
  parseScoredMembers,
  selectLiving,
  sortHolders,
} from "./scored-members.ts";

/** Matches `<machine>_<process id>_<id>`. */
const OWNER = /^(.+)_(\d{1,10})_[0-9a-f]{32}$/s;
const READERS = ".readers";
/** TTL of a semaphore's key, in leases. Each acquire and renewal sets it. */
const KEY_LEASES = 3;
/** Tolerance, in ms, between the Redis clock and the clock from which the library computes the end of its lease. */
const TOLERANCE_MS = 5;
const WAITING_WRITER = "_WRITERWAITING";

function toHolder(owner: Key, known: Partial<SeenHolder> = {}): SeenHolder {
  const [, host, pid] = OWNER.exec(owner) ?? [];
  if (host === undefined) return createForeignHolder(owner, known);
  return createForeignHolder(owner, {
    record: { host: host.slice(0, RECORD_TEXT_MAX), pid: Number(pid) },
    ...known,
  });
}

const isOwner = (owner: Key) => OWNER.test(owner) && !owner.endsWith(WAITING_WRITER);

/**
 * Detects the readers of a Medallion read/write lock. The readers share the TTL of the set, so dead readers remain in
 * the set while a live reader renews the TTL.
 */
export function detectMedallionReaders(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  const owners = raw.type === "set" ? (parseOwners(raw.content) ?? []) : [];
  const fits = formatKey(raw.key).endsWith(READERS) && owners.every(isOwner);
  if (how === "by_shape" && !fits) return undefined;
  const holders = sortHolders(owners.map((owner) => toHolder(owner, { role: "read" })));
  if (holders === undefined) return undefined;
  const known = { format: "medallion", candidates: [], kind: "read", confidence: "certain" } as const;
  return { holders, remainingMs: raw.remainingMs, ...known };
}

/**
 * Detects a Medallion semaphore. Each score is the time, on the Redis clock, at which a holder expires. The key expires
 * later than its holders.
 */
export function detectMedallionPermits(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  const members = parseScoredMembers(raw).map((each) => ({
    leftMs: Math.ceil(each.score - raw.asOf),
    ...each,
  }));
  if (!members.every(isTimeScore)) return undefined;
  if (how === "by_shape" && !members.every(({ member }) => isOwner(member))) return undefined;
  const holders = sortHolders(
    selectLiving(members).map(({ member, leftMs }) => toHolder(member, { ownRemainingMs: leftMs })),
  );
  if (holders === undefined) return undefined;
  const lastMs = findLastEndMs(members);
  const confidence = how === "by_rule" ? "certain" : assessPermits(raw, lastMs ?? 0);
  const known = { format: "medallion", candidates: [], kind: "semaphore", confidence } as const;
  return { holders, remainingMs: lastMs, ...known };
}

/**
 * Assesses how likely the key is a semaphore. The TTL of a semaphore's key is at least three times the remaining time
 * of its last holder. This distinguishes a semaphore from a sorted set of connections that is scored by their last
 * activity.
 */
function assessPermits({ key, remainingMs }: RawKey, lastMs: number): Confidence {
  const isLeased = lastMs > 0 && remainingMs !== null && remainingMs >= KEY_LEASES * lastMs - TOLERANCE_MS;
  return isLeased || isNamedAsLock(key) ? "certain" : "possible";
}

/** Builds the command that reads the writer's key, such as `orders.writer` for `orders.readers`. */
function buildWaitingWriterCommands(key: Key): [command: string, key: Buffer, from: number, to: number][] {
  if (!formatKey(key).endsWith(READERS)) return [];
  const name = Buffer.from(toRedisArgument(key) as string | Buffer).subarray(0, -READERS.length);
  return [["GETRANGE", Buffer.concat([name, Buffer.from(".writer")]), 0, 1023]];
}

/**
 * Reads the waiting writer from the writer's key, which contains at most one. Other waiting writers and all waiting
 * readers are not visible.
 */
const WAITING_WRITER_DETAILS: DetailReader = {
  buildCommands: ({ key }) => buildWaitingWriterCommands(key),
  applyAnswers(seen: HeldObservation, [writer]) {
    if (!Buffer.isBuffer(writer) || !writer.toString().endsWith(WAITING_WRITER)) return seen;
    return { ...seen, waiters: { count: (seen.waiters?.count ?? 0) + 1, known: "unknown" } };
  },
};

/**
 * Reads the waiting writer, which blocks new readers and acquires the lock once the current readers have released it.
 */
const WAITING_WRITER_QUEUE: QueueReader = {
  order: "in_turn",
  buildCommands: buildWaitingWriterCommands,
  parseQueue([writer]) {
    const owner = Buffer.isBuffer(writer) ? writer.toString() : "";
    if (!owner.endsWith(WAITING_WRITER)) return [];
    return [{ owner: owner.slice(0, -WAITING_WRITER.length), sinceMs: null, untilMs: null }];
  },
};

export const MEDALLION_READERS: LockFormat = {
  name: "medallion",
  types: ["set"],
  detect: detectMedallionReaders,
  more: WAITING_WRITER_DETAILS,
  queue: WAITING_WRITER_QUEUE,
  // Not reservable: a reservation would be a writer in another key, which Lockkeeper would list and release as a
  // separate lock.
  releaser: { oneHolder: true, reservable: false, forceRelease: forceReleaseUnscored },
};

export const MEDALLION_SEMAPHORE: LockFormat = {
  name: "medallion",
  types: ["zset"],
  detect: detectMedallionPermits,
  // Not reservable: Redis does not store the number of permits, so a reservation cannot acquire all of them.
  releaser: { oneHolder: true, reservable: false, forceRelease: createScoredRelease("end") },
};
