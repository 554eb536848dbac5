import type { Confidence } from "../../../lib/contract/format.ts";
import type { DetectionBasis, LockFormat } from "../lock-format.ts";
import { createForeignHolder, type DetectedLock } from "../observation.ts";
import type { RawKey } from "../raw-key.ts";
import { isNamedAsLock } from "../strings/lock-name.ts";
import { createScoredRelease } from "./force-release-members.ts";
import {
  findLastEndMs,
  isTimeScore,
  parseScoredMembers,
  selectLiving,
  sortHolders,
} from "./scored-members.ts";

/** There as long as the lock is exclusive; without it all holders share it. */
const WRITE = "__write__";
/** Base64 of 32 bytes; or the reserved owner by which we hold it off. */
const TOKEN = /^[A-Za-z0-9+/]{43}=$|^lockkeeper:reserve:/;
/** Between our reading of the clock and of the time to live. */
const TOLERANCE_MS = 5;

/** A score is when its holder ends; the key ends with the last. */
export function detectSymfony(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  const { asOf } = raw;
  const members = parseScoredMembers(raw).map((each) => ({ ...each, leftMs: each.score - asOf }));
  if (members.length === 0 || !members.every(isTimeScore)) return undefined;
  const isToken = ({ member }: { member: string }) => member !== WRITE;
  if (how === "by_shape" && !members.filter(isToken).every(({ member }) => TOKEN.test(member)))
    return undefined;
  const confidence =
    how === "by_rule" ? "certain" : assessConfidence(raw, findLastEndMs(members), members.every(isToken));
  if (confidence === undefined) return undefined;
  const alive = selectLiving(members);
  const isExclusive = !alive.every(isToken);
  const tokens = alive.filter(isToken);
  const holders = sortHolders(
    (tokens.length > 0 ? tokens : alive).map(({ member, leftMs }) =>
      createForeignHolder(member, {
        ...(isExclusive ? {} : { role: "read" as const }),
        ownRemainingMs: leftMs,
        stored: isExclusive && member !== WRITE ? [member, WRITE] : [member],
      }),
    ),
  );
  if (holders === undefined) return undefined;
  const known = { format: "symfony", candidates: [], kind: isExclusive ? "lock" : "read" } as const;
  return { ...known, confidence, holders, remainingMs: findLastEndMs(alive) };
}

/** Of a sorted set of somebody else's hashes the key does not end with the highest score. */
function assessConfidence(
  { key, remainingMs }: RawKey,
  lastMs: number | null,
  isShared: boolean,
): Confidence | undefined {
  const endsWithLast =
    remainingMs !== null && lastMs !== null && Math.abs(remainingMs - lastMs) <= TOLERANCE_MS;
  if (endsWithLast) return "certain";
  if (!isShared) return "likely";
  if ((lastMs ?? 0) <= 0) return undefined;
  return isNamedAsLock(key) ? "likely" : "possible";
}

export const SYMFONY: LockFormat = {
  name: "symfony",
  types: ["zset"],
  detect: detectSymfony,
  // Reserved as by an exclusive holder of its own, whom every client of it respects.
  frees: { oneHolder: true, reservable: true, free: createScoredRelease("end", WRITE) },
};
