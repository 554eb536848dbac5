import type { Health, MasterHealth, ScanProgress } from "../../lib/contract/live.ts";
import type { MasterWatch } from "./topology/master-watch.ts";

/** How far the picture of a target can be trusted. Whether its Redis is fit for locks, server/health tells. */
export function buildHealth(
  watches: readonly MasterWatch[],
  now: number,
  facts: Pick<Health, "missed" | "locks" | "waiting" | "needsAttention" | "majority"> & { leftOut: number },
): Health {
  const masters = watches.map(buildMasterHealth);
  const up = masters.filter(({ state }) => state !== "down");
  const off = up.find(({ notifications }) => notifications === "off");
  const { missed, locks, waiting, needsAttention, leftOut, majority } = facts;
  const detail = describeOutage(masters, majority) ?? describeFullIndex(locks, leftOut) ?? off?.detail;
  const scan = mergeScans(masters);
  return {
    now,
    state: computeState(masters, majority),
    ...(majority === undefined ? {} : { majority }),
    notifications: up.length === 0 || off !== undefined ? "off" : "on",
    roundTripUs: maxOrNull(up.map(({ roundTripUs }) => roundTripUs)),
    scannedAt: minOrNull(masters.map(({ scannedAt }) => scannedAt)),
    scanMs: maxOrNull(masters.map(({ scanMs }) => scanMs)),
    ...(scan === undefined ? {} : { scan }),
    missed,
    locks,
    waiting,
    needsAttention,
    ...(leftOut === 0 ? {} : { leftOut }),
    ...(detail === undefined ? {} : { detail }),
    masters,
  };
}

/** It answers, and all that it has is known. */
export function isFullyWatched({ connection, reconciliation }: MasterWatch): boolean {
  return connection.isUp && reconciliation.isCaughtUp;
}

function buildMasterHealth({
  master,
  connection,
  reconciliation,
  keyspaceScan,
  clock,
}: MasterWatch): MasterHealth {
  const { isUp, notificationState, roundTripUs, downSince } = connection;
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
    ...(isUp ? {} : { downSince }),
    ...(why === undefined ? {} : { detail: why }),
  };
}

/** All passes that are under way as one. */
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

function describeFullIndex(locks: number, leftOut: number): string | undefined {
  if (leftOut === 0) return undefined;
  return `${locks} locks are shown, as many as LOCKKEEPER_LOCKS_MAX allows; ${leftOut} or more are not. Raise it, or watch fewer keys with LOCKKEEPER_WATCH.`;
}

/** @param needed how many have to answer for the picture to be right at all */
function computeState(masters: readonly MasterHealth[], needed = 1): Health["state"] {
  const down = masters.filter(({ state }) => state === "down");
  if (masters.length - down.length < needed) return "down";
  if (down.length > 0) return "partial";
  return masters.every(({ state }) => state === "live") ? "live" : "catching_up";
}

/** What is wrong with those that are down. */
function describeOutage(masters: readonly MasterHealth[], needed = 1): string | undefined {
  const down = masters.filter(({ state }) => state === "down");
  if (masters.length <= 1) {
    return masters.length === 0 ? "No master of it is known." : down[0]?.detail;
  }
  if (down.length === 0) return undefined;
  const each = down.map(({ name, downSince, detail }) => {
    const since = downSince === undefined ? "" : ` since ${new Date(downSince).toISOString()}`;
    return `${name} is down${since}: ${detail ?? "Redis does not answer."}`;
  });
  if (masters.length - down.length >= needed) return each.join(" ");
  return [
    `${down.length} of ${masters.length} masters do not answer, and ${needed} have to: no lock can be decided, taken or freed, and what is shown is as it was decided last.`,
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
