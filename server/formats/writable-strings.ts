import { toSeenHolder } from "./companion.ts";
import { createForeignHolder, type DetectedLock } from "./observation.ts";
import { type RawKey, toOwner } from "./raw-key.ts";
import {
  computeForeignRemainingMs,
  computeOwnRemainingMs,
  detectUnitMs,
  parseDeadline,
} from "./timestamp/deadline.ts";

/**
 * Detects a string lock that Lockkeeper's verbs wrote. The value must be exactly the value that the companion
 * describes.
 */
export function detectOwnString(raw: RawKey): DetectedLock | undefined {
  const { companion, content, remainingMs, asOf } = raw;
  const value = content[0]?.toString("utf8") ?? "";
  if (companion === undefined || companion.format === "redisson") return undefined;
  const stored = companion.format === "token" ? companion.token : companion.value;
  if (stored !== value || value === "") return undefined;
  const holder = toSeenHolder(companion.token, companion.count, companion);
  const known = { candidates: [], kind: "lock", confidence: "certain" } as const;
  if (companion.format === "token") return { format: "token", holders: [holder], remainingMs, ...known };
  const unitMs = detectUnitMs(value) ?? 0;
  const own = { unit: unitMs === 1 ? "ms" : "s", ...holder, marginMs: holder.marginMs + 2 * unitMs } as const;
  const leftMs = computeOwnRemainingMs(parseDeadline(value) ?? 0, asOf, remainingMs);
  return { format: "timestamp", holders: [own], remainingMs: leftMs, ...known };
}

/** Detects any short string, including an empty one, as a lock. Used if a rule assigns the format. */
export function detectToken({ type, content, remainingMs }: RawKey): DetectedLock | undefined {
  const [value] = content;
  if (type !== "string" || value === undefined) return undefined;
  const known = { format: "token", candidates: [], kind: "lock", confidence: "certain" } as const;
  return { holders: [createForeignHolder(toOwner(value))], remainingMs, ...known };
}

/** Detects a lock whose value is a deadline in Unix seconds or milliseconds. */
export function detectDeadline({
  type,
  content,
  asOf,
  remainingMs: ttlMs,
}: RawKey): DetectedLock | undefined {
  const value = content[0]?.toString("utf8") ?? "";
  const end = parseDeadline(value);
  if (type !== "string" || end === undefined) return undefined;
  const known = { format: "timestamp", candidates: [], kind: "lock", confidence: "certain" } as const;
  const holder = createForeignHolder(value, { marginMs: 2 * (detectUnitMs(value) ?? 0) });
  return { holders: [holder], remainingMs: computeForeignRemainingMs(end, asOf, ttlMs), ...known };
}
