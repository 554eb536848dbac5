import { RESERVED_OWNER_PREFIX } from "../../../lib/contract/actions/reservation.ts";
import type { Confidence, LockKind } from "../../../lib/contract/format.ts";
import type { DetectionBasis } from "../lock-format.ts";
import {
  createForeignHolder,
  type DetectedLock,
  type HeldObservation,
  type SeenHolder,
} from "../observation.ts";
import type { RawKey } from "../raw-key.ts";
import { hasLockLikeName, isNamedAsLock } from "../strings/lock-name.ts";
import { parseHolders } from "./holders.ts";
import { parseMultiLock } from "./multi-lock.ts";
import { findLongestRemainingMs, parseCounter, parsePermits } from "./permits.ts";
import { parseReadWriteLock } from "./read-write-lock.ts";

/** The owner that is displayed for objects whose owner Redisson does not store. */
export const UNNAMED_HOLDER = "unnamed";

/** Maximum TTL of a typical lock, in ms. A longer TTL suggests application data. */
const LEASE_MS_MAX = 24 * 3_600_000;

const BASE = { format: "redisson", candidates: [] } as const;

/** Detects a Redisson lock, semaphore or latch. */
export function detectRedisson(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  if (raw.type === "hash") return detectHash(raw, how);
  if (raw.type !== "string") return undefined;
  if (raw.namedKind === "latch") return detectLatch(raw);
  const permits = parsePermits(raw);
  if (permits === undefined) return how === "by_rule" ? detectCounter(raw) : undefined;
  const { holders, available, total, remainingMs } = permits;
  const kind = "semaphore";
  const found = {
    kind,
    confidence: "certain",
    holders,
    remainingMs,
    permits: { available, total },
    ...BASE,
  } as const;
  return raw.isPlain === true ? { isPlain: true, ...found } : found;
}

function detectHash(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  const { remainingMs, asOf } = raw;
  const companion = raw.companion?.format === "redisson" ? raw.companion : undefined;
  const fields = raw.content.map((bytes) => bytes.toString("utf8"));
  const [first, ...rest] = parseHolders(fields, companion);
  if (first !== undefined) return toPlainLock(raw, [first, ...rest], how);
  const parts = parseReadWriteLock(fields, companion);
  if (parts !== undefined) {
    const { mode, holders, isWhole } = parts;
    const confidence = isWhole ? assessReadWriteConfidence(raw, holders, how) : "possible";
    return { kind: mode, confidence, holders, remainingMs, ...BASE };
  }
  const entries = parseMultiLock(fields, asOf, remainingMs);
  if (entries === undefined) return undefined;
  return {
    kind: "multi",
    confidence: "certain",
    holders: entries,
    remainingMs: findLongestRemainingMs(entries),
    ...BASE,
  };
}

function toPlainLock(raw: RawKey, holders: [SeenHolder, ...SeenHolder[]], how: DetectionBasis): DetectedLock {
  const { fenceCounter, queued, remainingMs } = raw;
  const isFenced = fenceCounter !== null && /^\d{1,19}$/.test(fenceCounter);
  const kind: LockKind = queued > 0 ? "fair" : isFenced ? "fenced" : "lock";
  // Redisson never writes several owners without a mode.
  const hasCompanion = queued > 0 || isFenced;
  const confidence = holders.length > 1 ? "possible" : assessConfidence(raw, holders, how, hasCompanion);
  const { format, candidates } = BASE;
  const found = { format, candidates, kind, confidence, holders, remainingMs };
  if (queued > 0) return { waiters: { count: queued, known: "exact" }, ...found };
  return isFenced && holders.length === 1 ? { lastFence: fenceCounter, ...found } : found;
}

/**
 * Assesses how likely a hash with fields like a lock's is a lock. A shopping cart `{uuid:variant → quantity}` or a set
 * of connections `{uuid:shard → 1}` has the same fields. Only two kinds of evidence are conclusive: a queue or counter
 * of Redisson for the lock, and a key that names a lock.
 *
 * @param hasCompanion whether Redisson stores another key for this lock
 */
function assessConfidence(
  raw: RawKey,
  [{ token, seq }]: DetectedLock["holders"],
  how: DetectionBasis,
  hasCompanion: boolean,
): Confidence {
  if (seq > 0 || how === "by_rule" || token.startsWith(RESERVED_OWNER_PREFIX)) return "certain";
  const { key, remainingMs } = raw;
  // Redisson sets a TTL on every lock, so a hash without a TTL may be any data.
  if (remainingMs === null) return isNamedAsLock(key) || hasCompanion ? "likely" : "possible";
  if (isNamedAsLock(key) || hasCompanion) return "certain";
  return hasLockLikeName(key) && remainingMs <= LEASE_MS_MAX ? "likely" : "possible";
}

/** Assesses how likely a hash with a `mode` is a lock. No other library stores owners next to a `mode`. */
function assessReadWriteConfidence(
  { key, remainingMs }: RawKey,
  [{ seq }]: DetectedLock["holders"],
  how: DetectionBasis,
): Confidence {
  if (remainingMs !== null || seq > 0 || how === "by_rule") return "certain";
  return isNamedAsLock(key) ? "likely" : "possible";
}

/** Detects a latch that Lockkeeper closed. Its companion names the kind. */
function detectLatch({ content, remainingMs }: RawKey): DetectedLock | undefined {
  const count = parseCounter(content[0]);
  if (count === undefined) return undefined;
  const holder = { ...createForeignHolder(UNNAMED_HOLDER), count };
  return { kind: "latch", confidence: "certain", holders: [holder], remainingMs, ...BASE };
}

/**
 * Detects a semaphore or latch in a key to which a rule assigns this format. The channel that clients subscribe to
 * shows which of the two the key is.
 */
function detectCounter({ content, remainingMs }: RawKey): DetectedLock | undefined {
  const count = parseCounter(content[0]);
  if (count === undefined) return undefined;
  const holder = createForeignHolder(UNNAMED_HOLDER);
  const permits = { available: count, total: null };
  return { kind: "semaphore", confidence: "possible", holders: [holder], remainingMs, permits, ...BASE };
}

/** Whether the lock is a semaphore or latch for which Redis stores only a number, without holders. */
export const isUnnamedCounter = ({ type, holders }: HeldObservation) =>
  type === "string" && holders[0].token === UNNAMED_HOLDER;
