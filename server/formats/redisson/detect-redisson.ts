import type { Confidence, Kind } from "../../../lib/contract/format.ts";
import type { How } from "../lock-format.ts";
import { type HeldObservation, type Recognised, type SeenHolder, strangerOf } from "../observation.ts";
import type { RawKey } from "../raw-key.ts";
import { isLockLike } from "../strings/lock-name.ts";
import { holdersOf } from "./holders.ts";
import { groupOf } from "./multi-lock.ts";
import { longestOf, permitsOf, wholeNumberOf } from "./permits.ts";
import { readWriteOf } from "./read-write-lock.ts";

/** The holder of what Redisson keeps no owners of. */
export const UNNAMED = "unnamed";

const FOUND = { format: "redisson", candidates: [] } as const;

/** The objects of Redisson by which something is held. */
export function recogniseRedisson(raw: RawKey, how: How): Recognised | undefined {
  if (raw.type === "hash") return hashOf(raw, how);
  if (raw.type !== "string") return undefined;
  const permits = permitsOf(raw);
  if (permits === undefined) return how === "by_rule" ? counterOf(raw) : undefined;
  const { holders, available, total, remainingMs } = permits;
  const known = { ...FOUND, kind: "semaphore", confidence: "certain" } as const;
  return { ...known, holders, remainingMs, permits: { available, total } };
}

function hashOf(raw: RawKey, how: How): Recognised | undefined {
  const { remainingMs, asOf } = raw;
  const told = raw.told?.format === "redisson" ? raw.told : undefined;
  const fields = raw.content.map((bytes) => bytes.toString("utf8"));
  const [first, ...rest] = holdersOf(fields, told);
  if (first !== undefined) return plainOf(raw, [first, ...rest], how);
  const parts = readWriteOf(fields, told);
  if (parts !== undefined) {
    const { mode, holders, isWhole } = parts;
    const confidence = isWhole ? confidenceOf(raw, holders, how) : "possible";
    return { ...FOUND, kind: mode, confidence, holders, remainingMs };
  }
  const entries = groupOf(fields, asOf, remainingMs);
  if (entries === undefined) return undefined;
  return {
    ...FOUND,
    kind: "multi",
    confidence: "certain",
    holders: entries,
    remainingMs: longestOf(entries),
  };
}

function plainOf(raw: RawKey, holders: [SeenHolder, ...SeenHolder[]], how: How): Recognised {
  const { fenceCounter, queued, remainingMs } = raw;
  const isFenced = fenceCounter !== null && /^\d{1,19}$/.test(fenceCounter);
  const kind: Kind = queued > 0 ? "fair" : isFenced ? "fenced" : "lock";
  // Several owners without a mode are not what Redisson writes.
  const confidence = holders.length > 1 ? "possible" : confidenceOf(raw, holders, how);
  const { format, candidates } = FOUND;
  const found = { format, candidates, kind, confidence, holders, remainingMs };
  if (queued > 0) return { ...found, waiters: { count: queued, known: "exact" } };
  return isFenced && holders.length === 1 ? { ...found, lastFence: fenceCounter } : found;
}

/** Redisson gives each lock a time to live; what has none may be anybody's. */
function confidenceOf(raw: RawKey, [{ seq }]: Recognised["holders"], how: How): Confidence {
  if (raw.remainingMs !== null || seq > 0 || how === "by_rule") return "certain";
  return isLockLike(raw.key) ? "likely" : "possible";
}

/** A semaphore or a latch, where a rule says that it is one; which of them, those who wait tell. */
function counterOf({ content, remainingMs }: RawKey): Recognised | undefined {
  const count = wholeNumberOf(content[0]);
  if (count === undefined) return undefined;
  const known = { ...FOUND, kind: "semaphore", confidence: "possible" } as const;
  const permits = { available: count, total: null };
  return { ...known, holders: [strangerOf(UNNAMED)], remainingMs, permits };
}

/** A semaphore or a latch of which only the number is known. */
export const isUnnamed = ({ type, holders }: HeldObservation) =>
  type === "string" && holders[0].owner === UNNAMED;
