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

/** A member that exists while the lock is exclusive. Without it, the holders share the lock. */
const WRITE = "__write__";
/** Matches 32 bytes in base64, or the owner of a reservation. */
const TOKEN = /^[A-Za-z0-9+/]{43}=$|^lockkeeper:reserve:/;
/** Tolerance, in ms, between reading the clock and reading the TTL. */
const TOLERANCE_MS = 5;

/** Detects a Symfony lock. Each score is the time at which a holder expires. The key expires with the last holder. */
export function detectSymfony(raw: RawKey, how: DetectionBasis): DetectedLock | undefined {
  const { asOf } = raw;
  const members = parseScoredMembers(raw).map((each) => ({ leftMs: each.score - asOf, ...each }));
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
  return { confidence, holders, remainingMs: findLastEndMs(alive), ...known };
}

/** Assesses how likely the key is a lock. The key of an unrelated sorted set does not expire at its highest score. */
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
  // A reservation is stored as an exclusive holder, which every client of the library respects.
  releaser: { oneHolder: true, reservable: true, forceRelease: createScoredRelease("end", WRITE) },
};
