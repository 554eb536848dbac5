import type { Health, MasterHealth, ScanProgress, UnreadableKeyCounts } from "../../lib/contract/live.ts";
import { UNREADABLE_REASONS } from "../../lib/contract/lock.ts";
import type { PollingDelays } from "../../lib/contract/polling.ts";
import { REFUSAL_TEXTS } from "../../lib/contract/refusal.ts";
import type { MasterWatch } from "./topology/master-watch.ts";

/**
 * Builds the health report of a watcher: how current and complete its index is. `server/health` checks Redis itself.
 */
export function buildHealth(
  watches: readonly MasterWatch[],
  now: number,
  facts: Pick<
    Health,
    "missed" | "locks" | "unlisted" | "waiting" | "needsAttention" | "deadlocks" | "majority"
  > & {
    leftOut: number;
    ignoredEvents: number;
    unseenHolds: number;
  },
): Health {
  const masters = watches.map(buildMasterHealth);
  const up = masters.filter(({ state }) => state !== "down");
  const off = up.find(({ notifications }) => notifications === "off");
  const { missed, locks, unlisted, waiting, needsAttention, deadlocks } = facts;
  const { leftOut, majority, ignoredEvents, unseenHolds } = facts;
  const oversizedKeys = watches.reduce((sum, each) => sum + each.oversizedKeys.count, 0);
  const polling = mergePollingDelays(masters);
  const detail =
    describeOutage(masters, majority) ??
    describeRefusals(up) ??
    describeFullIndex(locks + unlisted, leftOut) ??
    joinSentences(off?.detail, describePolling(polling));
  const scan = mergeScans(masters);
  const unreadableKeys = mergeUnreadableCounts(watches, majority !== undefined);
  return {
    now,
    state: computeState(masters, majority),
    ...(majority === undefined ? {} : { majority }),
    notifications: up.length === 0 || off !== undefined ? "off" : "on",
    roundTripUs: maxOrNull(up.map(({ roundTripUs }) => roundTripUs)),
    scannedAt: minOrNull(masters.map(({ scannedAt }) => scannedAt)),
    scanMs: maxOrNull(masters.map(({ scanMs }) => scanMs)),
    ...(scan === undefined ? {} : { scan }),
    ...(polling === undefined ? {} : { polling }),
    missed,
    locks,
    unlisted,
    waiting,
    needsAttention,
    deadlocks,
    ...(leftOut === 0 ? {} : { leftOut }),
    ...(unreadableKeys.count === 0 ? {} : { unreadableKeys }),
    ...(oversizedKeys === 0 ? {} : { oversizedKeys }),
    ...(ignoredEvents === 0 ? {} : { ignoredEvents }),
    ...(unseenHolds === 0 ? {} : { unseenHolds }),
    ...(detail === undefined ? {} : { detail }),
    masters,
  };
}

/**
 * Returns the time (`performance.now()`) up to which the index contains every change to known keys. Ignores masters
 * that do not respond, unless none responds. Returns `undefined` if no master is known, or if the index has never been
 * complete for one of the remaining masters.
 */
export function findConfirmedAt(watches: readonly MasterWatch[]): number | undefined {
  const up = watches.filter(({ connection }) => connection.isUp);
  const counted = up.length > 0 ? up : watches;
  const moments = counted.flatMap(({ confirmedAt }) => confirmedAt ?? []);
  return moments.length === 0 || moments.length < counted.length ? undefined : Math.min(...moments);
}

/** Whether the master responds and a scan has read all its watched keys since the last interruption. */
export function isFullyWatched({ connection, reconciliation }: MasterWatch): boolean {
  return connection.isUp && reconciliation.isCaughtUp;
}

function buildMasterHealth(watch: MasterWatch): MasterHealth {
  const { master, connection, reconciliation, keyspaceScan, clock, pollingDelays } = watch;
  const { isUp, notificationState, roundTripUs, downSince, writesRefused } = connection;
  const why =
    connection.downReason ?? (notificationState.state === "off" ? notificationState.detail : undefined);
  return {
    name: master.name,
    state: !isUp ? "down" : reconciliation.isCaughtUp ? "live" : "catching_up",
    notifications: notificationState.state,
    roundTripUs,
    clockOffsetMs: Math.round(clock.toRedisTime(performance.now()) - Date.now()),
    scannedAt: reconciliation.lastPass?.at ?? null,
    scanMs: reconciliation.lastPass?.tookMs ?? null,
    ...(keyspaceScan.progress === undefined || reconciliation.runningMs === undefined
      ? {}
      : { scan: { ...keyspaceScan.progress, ms: reconciliation.runningMs } }),
    ...(pollingDelays === undefined ? {} : { polling: pollingDelays }),
    ...(isUp && writesRefused !== undefined ? { writesRefused } : {}),
    ...(isUp ? {} : { downSince }),
    ...(why === undefined ? {} : { detail: why }),
  };
}

/** Returns the combined progress of all scans, or `undefined` if no scan is in progress. */
function mergeScans(masters: readonly MasterHealth[]): ScanProgress | undefined {
  const scans = masters.flatMap(({ scan }) => scan ?? []);
  if (scans.length === 0) return undefined;
  const keys = scans.map((scan) => scan.keys);
  return {
    scanned: scans.reduce((sum, { scanned }) => sum + scanned, 0),
    keys: keys.every((each) => each !== null) ? keys.reduce((sum, each) => sum + each, 0) : null,
    ms: Math.max(...scans.map(({ ms }) => ms)),
  };
}

/**
 * Combines the counts of all masters.
 *
 * @param isQuorum if true, every master has every key, so the counts of the master with the most unreadable keys are
 *   returned instead of the sum
 */
function mergeUnreadableCounts(watches: readonly MasterWatch[], isQuorum: boolean): UnreadableKeyCounts {
  const none: UnreadableKeyCounts = {
    count: 0,
    byReason: { too_large: 0, forbidden: 0, timeout: 0, error: 0 },
  };
  const counts = watches.map(({ unreadableKeys }) => unreadableKeys.counts);
  return counts.reduce((one, other) => {
    if (isQuorum) return other.count > one.count ? other : one;
    const byReason = { ...one.byReason };
    for (const reason of UNREADABLE_REASONS) byReason[reason] += other.byReason[reason];
    return { count: one.count + other.count, byReason };
  }, none);
}

function mergePollingDelays(masters: readonly MasterHealth[]): PollingDelays | undefined {
  const all = masters.flatMap(({ polling }) => polling ?? []);
  if (all.length === 0) return undefined;
  const maxUnlessUnknown = (values: readonly (number | null)[]) =>
    values.includes(null) ? null : maxOrNull(values);
  return {
    endsSeenWithinMs: maxUnlessUnknown(all.map(({ endsSeenWithinMs }) => endsSeenWithinMs)),
    newLocksSeenWithinMs: maxUnlessUnknown(all.map(({ newLocksSeenWithinMs }) => newLocksSeenWithinMs)),
  };
}

function describePolling(polling: PollingDelays | undefined): string | undefined {
  if (polling === undefined) return undefined;
  const { endsSeenWithinMs, newLocksSeenWithinMs } = polling;
  if (endsSeenWithinMs === null || newLocksSeenWithinMs === null) return "The delays are being measured.";
  const toSeconds = (ms: number) => `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`;
  return `Measured: ends of locks are shown within ${toSeconds(endsSeenWithinMs)}, new locks within ${toSeconds(newLocksSeenWithinMs)}.`;
}

function joinSentences(first: string | undefined, second: string | undefined): string | undefined {
  return first === undefined || second === undefined ? first : `${first} ${second}`;
}

/** Describes the cause and remedy of refused writes, or returns `undefined` if no master refuses writes. */
function describeRefusals(masters: readonly MasterHealth[]): string | undefined {
  const refusing = masters.flatMap(({ name, writesRefused: reason }) => (reason ? [{ name, reason }] : []));
  const texts = refusing.map(({ name, reason }) => {
    const { cause, remedy } = REFUSAL_TEXTS[reason];
    return `${masters.length > 1 ? `${name}: ` : ""}${cause}. ${remedy}.`;
  });
  return texts.length === 0 ? undefined : texts.join(" ");
}

function describeFullIndex(locks: number, leftOut: number): string | undefined {
  if (leftOut === 0) return undefined;
  return `The index has reached LOCKKEEPER_LOCKS_MAX (${locks} locks). At least ${leftOut} more are not indexed. Raise the limit, or watch fewer keys with LOCKKEEPER_WATCH.`;
}

/** @param needed number of masters that must respond */
function computeState(masters: readonly MasterHealth[], needed = 1): Health["state"] {
  const down = masters.filter(({ state }) => state === "down");
  if (masters.length - down.length < needed) return "down";
  if (down.length > 0) return "partial";
  return masters.every(({ state }) => state === "live") ? "live" : "catching_up";
}

/** Describes the outage. Returns `undefined` if at least one master is known and no master is down. */
function describeOutage(masters: readonly MasterHealth[], needed = 1): string | undefined {
  const down = masters.filter(({ state }) => state === "down");
  if (masters.length <= 1) {
    return masters.length === 0 ? "No master is known." : down[0]?.detail;
  }
  if (down.length === 0) return undefined;
  const each = down.map(({ name, downSince, detail }) => {
    const since = downSince === undefined ? "" : ` since ${new Date(downSince).toISOString()}`;
    return `${name} is down${since}: ${detail ?? "Redis is not responding."}`;
  });
  if (masters.length - down.length >= needed) return each.join(" ");
  return [
    `${down.length} of ${masters.length} masters are not responding, and ${needed} are required. Locks can be neither acquired nor released. The data shown is the last known state.`,
    ...each,
  ].join(" ");
}

function maxOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function minOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : Math.min(...known);
}
