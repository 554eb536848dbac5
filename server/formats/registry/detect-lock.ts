import type { FormatName } from "../../../lib/contract/format.ts";
import type { KeyReach } from "../lock-format.ts";
import { detectHueyLocks } from "../members/huey.ts";
import { detectMedallionPermits, detectMedallionReaders } from "../members/medallion.ts";
import { detectRedisSemaphore } from "../members/redis-semaphore.ts";
import { detectSidekiqJobs } from "../members/sidekiq.ts";
import { detectSymfony } from "../members/symfony.ts";
import type { DetectedLock, LockType } from "../observation.ts";
import type { RawKey } from "../raw-key.ts";
import { detectRedisson } from "../redisson/detect-redisson.ts";
import { detectString } from "../strings/detect-string.ts";
import { detectOwnString } from "../writable-strings.ts";
import { findLockFormat } from "./lock-formats.ts";

type Detector = (raw: RawKey, reach: KeyReach) => DetectedLock | undefined;

/** The detectors by Redis type. More specific detectors come first, because the first match wins. */
const DETECTORS: Readonly<Record<LockType, readonly Detector[]>> = {
  hash: [
    (raw) => detectRedisson(raw, "by_shape"),
    (raw) => detectSidekiqJobs(raw, "by_shape"),
    detectHueyLocks,
  ],
  string: [detectOwnString, (raw) => detectRedisson(raw, "by_shape"), detectString],
  set: [(raw) => detectMedallionReaders(raw, "by_shape")],
  zset: [
    (raw) => detectRedisSemaphore(raw, "by_shape"),
    (raw) => detectMedallionPermits(raw, "by_shape"),
    (raw) => detectSymfony(raw, "by_shape"),
  ],
};

/**
 * Detects the lock in a key. Returns `undefined` if the key contains no lock. A Lockkeeper hold takes precedence over
 * the format rule, and the rule takes precedence over detection by content.
 */
export function detectLock(
  raw: RawKey,
  rule: FormatName | undefined,
  reach: KeyReach = "watched",
): DetectedLock | undefined {
  if (rule !== undefined && !isOwnHold(raw)) {
    const detected = findLockFormat(rule, raw.type)?.detect(raw, "by_rule");
    if (detected !== undefined) return detected;
  }
  for (const recognizer of DETECTORS[raw.type]) {
    const found = recognizer(raw, reach);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether the lock is the Lockkeeper hold that the companion describes. A companion alone proves nothing, because it
 * outlives its hold.
 */
function isOwnHold(raw: RawKey): boolean {
  if (raw.type === "string") return detectOwnString(raw) !== undefined;
  return (
    raw.type === "hash" &&
    raw.content.some((bytes, at) => at % 2 === 0 && bytes.toString("utf8") === raw.companion?.token)
  );
}
