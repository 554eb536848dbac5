import { type Companion, parseCompanion, toSeenHolder } from "../companion.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { READ_TEXTS, type ReadCommand } from "../queue-reader.ts";
import { COMPANION_BYTES_MAX } from "../raw-key.ts";
import { buildPermitCompanionKey, computePermitIds } from "./permit-ids.ts";

/**
 * Builds the command that reads one companion per permit. Only the first permit of a Lockkeeper hold has a companion.
 */
export function buildPermitCommands({ key, holders }: HeldObservation): ReadCommand[] {
  const [first = "", ...others] = holders.map(({ token }) =>
    buildPermitCompanionKey(key, Buffer.from(String(token), "hex")),
  );
  return [[READ_TEXTS, first, COMPANION_BYTES_MAX, ...others]];
}

/**
 * Combines the permits of each Lockkeeper hold into one holder. Each permit of another library stays a separate holder.
 */
export function combinePermits(seen: HeldObservation, [answer]: readonly unknown[]): HeldObservation {
  const permits = new Map(seen.holders.map((holder) => [String(holder.token), holder]));
  const companions: readonly unknown[] = Array.isArray(answer) ? answer : [];
  const holds = seen.holders.map((_, at) => parsePermitCompanion(companions[at]));
  const inHolds = new Map<string, SeenHolder>();
  for (const [at, holder] of seen.holders.entries()) {
    const companion = holds[at];
    if (companion === undefined) continue;
    const ids = computePermitIds(companion.token, companion.count).map((id) => id.toString("hex"));
    const own = ids.flatMap((id) => permits.get(id) ?? []);
    // The companion may describe a hold that has ended, or contain data from another client.
    if (ids[0] !== holder.token || own.length < ids.length) continue;
    const hold = toHolder(companion, own);
    for (const id of ids) inHolds.set(id, hold);
  }
  const [first, ...rest] = new Set(seen.holders.map((holder) => inHolds.get(String(holder.token)) ?? holder));
  return first === undefined ? seen : { ...seen, holders: [first, ...rest] };
}

const PERMITS_MAX = 256;

function parsePermitCompanion(answer: unknown): Companion | undefined {
  // Keys of a migrating slot are read on the verb connections, which return strings instead of bytes.
  const bytes = Buffer.isBuffer(answer) ? answer : Buffer.from(String(answer ?? ""));
  if (bytes.length === 0 || bytes.length > COMPANION_BYTES_MAX) return undefined;
  const companion = parseCompanion(bytes.toString("utf8"));
  if (companion?.format !== "redisson" || companion.count < 1 || companion.count > PERMITS_MAX)
    return undefined;
  return companion;
}

/** Creates the holder of several permits. Its hold ends when the first permit expires. */
function toHolder(companion: Companion, permits: readonly SeenHolder[]): SeenHolder {
  const ends = permits.flatMap(({ ownRemainingMs }) => ownRemainingMs ?? []);
  const ownRemainingMs = ends.length === 0 ? null : Math.min(...ends);
  return { ownRemainingMs, ...toSeenHolder(companion.token, companion.count, companion) };
}
