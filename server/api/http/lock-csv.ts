import type { Lock } from "../../../lib/contract/lock.ts";
import { type CsvColumns, formatCsvHeader, formatCsvRow } from "../../../lib/csv/csv.ts";

/** Maximum number of owners listed per lock. */
const OWNERS_MAX = 20;

const COLUMNS: CsvColumns<Lock> = {
  target: ({ target }) => target,
  key: ({ key }) => key,
  keyBase64: ({ keyBase64 }) => keyBase64,
  state: ({ state }) => state,
  liveness: ({ liveness }) => liveness?.state,
  format: ({ format }) => format,
  kind: ({ kind }) => kind,
  confidence: ({ confidence }) => confidence ?? undefined,
  owner: ({ holders }) => holders[0]?.owner,
  ownerBase64: ({ holders }) => holders[0]?.ownerBase64,
  service: ({ holders }) => holders[0]?.record?.service,
  host: ({ holders }) => holders[0]?.record?.host,
  purpose: ({ holders }) => holders[0]?.record?.purpose,
  session: ({ holders }) => holders[0]?.record?.session,
  since: ({ holders }) => formatTime(holders[0]?.since),
  sinceIs: ({ holders }) => holders[0]?.sinceIs,
  heldMs: ({ holders, asOf }) => computeHeldMs(holders[0]?.since, asOf),
  remainingMs: ({ remainingMs, state }) => remainingMs ?? (state === "free" ? undefined : "no expiry"),
  leaseMs: ({ leaseMs }) => leaseMs ?? undefined,
  count: ({ holders }) => holders.reduce((sum, { count }) => sum + count, 0),
  fence: ({ holders }) => holders[0]?.fence ?? undefined,
  holders: ({ holders }) => holders.length,
  otherOwners: ({ holders }) =>
    holders
      .slice(1, OWNERS_MAX)
      .map(({ owner }) => owner)
      .join(" "),
  waiters: ({ waiters }) => waiters.count ?? undefined,
  waitersKnown: ({ waiters }) => waiters.known,
  note: ({ note }) => note?.text,
  version: ({ version }) => version ?? undefined,
  asOf: ({ asOf }) => formatTime(asOf),
};

export const LOCK_CSV_HEADER = formatCsvHeader(COLUMNS);

export const formatLockCsvRow = (lock: Lock): string => formatCsvRow(COLUMNS, lock);

/**
 * Formats a time as ISO 8601, or returns `undefined` if it is missing or out of range. Times that were parsed from
 * owner strings can be out of range.
 */
function formatTime(ms: number | null | undefined): string | undefined {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function computeHeldMs(since: number | null | undefined, asOf: number): number | undefined {
  return since === null || since === undefined ? undefined : Math.max(0, Math.round(asOf - since));
}
