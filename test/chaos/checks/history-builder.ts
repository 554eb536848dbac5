import { type AnalyzedHistory, analyzeHistory } from "../history/analyzed-history.ts";
import { type Entry, type HoldKind, NS_PER_MS } from "../history/entry.ts";

/** A history entry for tests, with its time in milliseconds. */
export type EntrySpec = Partial<Omit<Entry, "t">> & Pick<Entry, "op" | "type"> & { readonly atMs: number };

const LEASE_MS = 1000;

/**
 * Builds and analyzes a history of one lock. The process of an entry is named after its token unless the entry
 * specifies a process.
 */
export function buildHistory(...entries: (EntrySpec | readonly EntrySpec[])[]): AnalyzedHistory {
  const history = entries.flat().map(({ atMs, ...entry }) => ({
    process: entry.token ?? "resource",
    lock: "lock:a",
    ...entry,
    t: atMs * NS_PER_MS,
  }));
  return analyzeHistory(history.sort((one, other) => one.t - other.t));
}

export interface AcquireSpec {
  readonly call?: number;
  readonly count?: number;
  /** Time from the request to the grant, in milliseconds. */
  readonly tookMs?: number;
  readonly waitMs?: number;
  readonly kind?: HoldKind;
  /** Number of permits of a semaphore with a limit of 5. Absent for other kinds. */
  readonly permits?: number;
}

/** Builds an acquire that was granted at `atMs`. The deadline is one lease after the request. */
export function buildAcquire(
  token: string,
  fence: number | null,
  atMs: number,
  more: AcquireSpec = {},
): EntrySpec[] {
  const { call = 1, count = 1, tookMs = 1, waitMs = 0, kind = "lock", permits } = more;
  const semaphore = permits === undefined ? {} : { permits, limit: 5 };
  const what = { op: "acquire", token, call, leaseMs: LEASE_MS, kind, ...semaphore } as const;
  const deadline = (atMs - tookMs + LEASE_MS) * NS_PER_MS;
  return [
    { ...what, type: "invoke", atMs: atMs - tookMs, waitMs },
    { ...what, type: "ok", atMs, count, deadline, fence: fence === null ? null : String(fence) },
  ];
}

/** Builds a re-entry that was granted at `atMs`. */
export function buildReentry(
  token: string,
  fence: number,
  atMs: number,
  more: AcquireSpec = {},
): EntrySpec[] {
  const entries = buildAcquire(token, fence, atMs, { call: 2, count: 2, ...more });
  return entries.map((entry) => ({ ...entry, op: "reenter" }));
}

export function buildRelease(
  token: string,
  atMs: number,
  { claim = 1, count = 0, code }: { claim?: number; count?: number; code?: string } = {},
): EntrySpec[] {
  const what = { op: "release", token, claim, call: claim + 100 } as const;
  return [
    { ...what, type: "invoke", atMs },
    { ...what, type: "ok", atMs: atMs + 1, code: code ?? (count > 0 ? "still_held" : "released"), count },
  ];
}

/** Builds a downgrade from writer to reader at `atMs`. */
export function buildDowngrade(token: string, atMs: number, type: "ok" | "info" = "ok"): EntrySpec[] {
  const what = { op: "downgrade", token, claim: 1, call: 201 } as const;
  return [
    { ...what, type: "invoke", atMs },
    { ...what, type, atMs: atMs + 1 },
  ];
}

/** Builds a call on a latch that lasts from `fromMs` to `toMs`. */
export function buildLatchCall(
  process: string,
  op: "set_count" | "count_down" | "await",
  fromMs: number,
  toMs: number,
  answer: Partial<EntrySpec> = {},
): EntrySpec[] {
  const asked = op === "set_count" ? { count: 3 } : op === "await" ? { waitMs: 6000 } : {};
  const what = { op, process, lock: "latch:a", call: fromMs, ...asked } as const;
  return [
    { ...what, type: "invoke", atMs: fromMs },
    { ...what, type: "ok", ...answer, atMs: toMs },
  ];
}

export interface ConditionWaitSpec {
  /** Fence of the resumed hold. The token of this hold is the token of the hold that was given up, followed by "2". */
  readonly resumed?: number;
  readonly count?: number;
  readonly waitMs?: number;
  readonly code?: "signalled" | "timed_out";
}

/** Builds a wait for a condition that lasts from `fromMs` to `toMs`, by the holder of the given hold. */
export function buildConditionWait(
  token: string,
  fence: number,
  fromMs: number,
  toMs: number,
  { resumed = fence + 1, count = 1, waitMs = 15_000, code = "signalled" }: ConditionWaitSpec = {},
): EntrySpec[] {
  const what = { process: token, condition: "c", count } as const;
  const givingUp = { ...what, op: "give_up", call: 51, token, fence: String(fence) } as const;
  const resuming = { ...what, op: "resume", call: 52, kind: "lock", leaseMs: LEASE_MS } as const;
  const again = { token: `${token}2`, fence: String(resumed), deadline: (toMs + LEASE_MS) * NS_PER_MS };
  return [
    { ...givingUp, type: "invoke", atMs: fromMs, waitMs },
    { ...resuming, type: "invoke", atMs: fromMs },
    { ...givingUp, type: "ok", atMs: toMs, code },
    { ...resuming, type: "ok", atMs: toMs, ...again },
  ];
}

/** Builds a signal that the holder of the given hold sends. `count` is the number of waiters that it wakes. */
export function buildSignal(
  token: string,
  fence: number,
  atMs: number,
  { count = 1 }: { readonly count?: number } = {},
): EntrySpec[] {
  const what = { op: "signal", token, fence: String(fence), condition: "c", call: 61, code: "one" } as const;
  return [
    { ...what, type: "invoke", atMs },
    { ...what, type: "ok", atMs: atMs + 1, count },
  ];
}

export function buildRenewal(token: string, atMs: number, claim = 1): EntrySpec {
  return { op: "renew", type: "info", token, claim, atMs, deadline: (atMs + LEASE_MS) * NS_PER_MS };
}

export function buildAssert(token: string, atMs: number, type: "ok" | "fail" = "ok"): EntrySpec {
  return { op: "assert", type, token, claim: 1, atMs };
}

export function buildLoss(token: string, atMs: number): EntrySpec {
  return { op: "lost", type: "info", token, claim: 1, atMs };
}

export function buildFault(fault: string, atMs: number, forMs = 0): EntrySpec[] {
  const what = { op: "fault", process: "harness", fault, target: "server 1" } as const;
  return [
    { ...what, type: "invoke", atMs },
    { ...what, type: "ok", atMs: atMs + forMs },
  ];
}

export const QUORUM_BEGUN: EntrySpec = {
  op: "begun",
  type: "info",
  process: "harness",
  target: "quorum",
  atMs: 0,
};

/** Builds a step of a server's wall clock by `stepMs` for `forMs`. A positive step sets the clock ahead. */
export function buildClockStep(stepMs: number, atMs: number, forMs: number, server = 1): EntrySpec[] {
  const what = {
    op: "fault",
    process: "harness",
    fault: "server-clock-step",
    target: `server ${server}`,
  } as const;
  return [
    { ...what, type: "invoke", atMs, stepMs },
    { ...what, type: "info", code: "begun", atMs },
    { ...what, type: "info", code: "ends", atMs: atMs + forMs },
    { ...what, type: "ok", atMs: atMs + forMs },
  ];
}

/** Builds the entry for a write that the fenced resource accepted. */
export function buildAccept(
  value: string,
  fence: number,
  atMs: number,
  base: number,
  version: number,
): EntrySpec {
  const register = "fenced";
  return { op: "accept", type: "ok", register, value, fence: String(fence), base, version, atMs };
}

export function buildWrite(
  token: string,
  value: string,
  atMs: number,
  type: "ok" | "fail" = "ok",
): EntrySpec {
  return { op: "write", type, token, value, claim: 1, atMs };
}
