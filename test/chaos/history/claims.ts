import { type Entry, type HoldKind, isEntering, NS_PER_MS } from "./entry.ts";

/**
 * A client's claim to hold a lock from `ack` to `end`, based on a granted acquire, re-entry or resumption. Times are in
 * nanoseconds since the start of the run.
 */
export interface Claim {
  readonly process: string;
  readonly context: string;
  readonly call: number;
  readonly lock: string;
  /** Token of the hold. A re-entry has the token of the hold that was re-entered. */
  readonly token: string;
  readonly fence: string | null;
  readonly count: number;
  readonly kind: HoldKind;
  /** Number of permits that a semaphore granted. 1 for other kinds. */
  readonly permits: number;
  /** Total number of permits of the semaphore. 1 for other kinds. */
  readonly limit: number;
  readonly isReentry: boolean;
  readonly invoke: number;
  /** Earliest time at which the granted request may have been sent, computed from the deadline. */
  readonly sent: number;
  readonly ack: number;
  /** The latest deadline that the holder received. */
  readonly deadline: number;
  readonly lostAt: number | undefined;
  readonly release: Release | undefined;
  /** The downgrade of a writer to a reader, if there was one. */
  readonly downgrade: Downgrade | undefined;
  /** Time until which the holder certainly relied on the hold. */
  readonly end: number;
  readonly endedBy: "release" | "deadline" | "loss";
  readonly written: ClaimEntries;
}

/** The history entries that belong to a claim. */
export interface ClaimEntries {
  readonly asked: Entry;
  readonly granted: Entry;
  /** The entry with the latest deadline: the grant or a renewal. */
  readonly furthest: Entry;
  readonly lost: Entry | undefined;
  /** The entries for the call that released or gave up the hold, and for its reply. */
  readonly release: readonly Entry[];
}

export interface Downgrade {
  readonly invoke: number;
  /** `undefined` if the outcome is unknown. */
  readonly ack: number | undefined;
}

export interface Release {
  readonly invoke: number;
  readonly ack: number | undefined;
  /** `released`, `still_held`, `not_held`, or an error code. */
  readonly code: string | undefined;
  readonly count: number | undefined;
}

export function buildClaims(history: readonly Entry[]): Claim[] {
  const invokes = new Map<string, Entry>();
  const follow = new Map<string, Entry[]>();
  const givenUp = listGivenUp(history);
  for (const entry of history) {
    if (isEntering(entry) && entry.type === "invoke") invokes.set(formatCallName(entry, entry.call), entry);
    if (entry.claim === undefined) continue;
    const name = formatCallName(entry, entry.claim);
    const before = follow.get(name);
    if (before === undefined) follow.set(name, [entry]);
    else before.push(entry);
  }
  return history
    .filter((entry) => isEntering(entry) && entry.type === "ok")
    .map((ok) =>
      buildClaim(ok, invokes.get(formatCallName(ok, ok.call)) ?? ok, [
        ...(follow.get(formatCallName(ok, ok.call)) ?? []),
        ...(givenUp.get(`${ok.process} ${ok.token}`) ?? []),
      ]),
    );
}

/**
 * Lists the calls that gave up a hold to wait for a condition, by process and token. Refused calls are excluded because
 * they do not end the hold.
 */
function listGivenUp(history: readonly Entry[]): Map<string, Entry[]> {
  const calls = groupBy(
    history.filter(({ op }) => op === "give_up"),
    (entry) => formatCallName(entry, entry.call),
  );
  const done = [...calls.values()].filter((entries) => !entries.some(({ type }) => type === "fail"));
  return groupBy(done.flat(), ({ process, token }) => `${process} ${token}`);
}

const formatCallName = ({ process }: Entry, call: number | undefined) => `${process}#${call}`;

function buildClaim(ok: Entry, invoked: Entry, later: readonly Entry[]): Claim {
  const { process, context = "", call = 0, lock = "", token = "", fence = null, count = 1, leaseMs = 0 } = ok;
  const { kind = "lock", permits = 1, limit = 1 } = ok;
  // If the deadline had already passed when the reply was read, it may have passed at any time since the request.
  const granted = ok.deadline ?? invoked.t;
  const deadlines = later.flatMap(({ op, deadline }) => (op === "renew" && deadline ? [deadline] : []));
  // The last deadline can be earlier than a previous one if the clock of the process or of a server was set ahead.
  const lastDeadline = deadlines.at(-1) ?? granted;
  const deadline = Math.max(granted, ...deadlines);
  const release = findRelease(later);
  const written = findClaimEntries(ok, invoked, later);
  const lostAt = written.lost?.t;
  const ends = [
    { end: release?.invoke ?? Number.POSITIVE_INFINITY, endedBy: "release" as const },
    { end: lostAt ?? Number.POSITIVE_INFINITY, endedBy: "loss" as const },
    { end: lastDeadline, endedBy: "deadline" as const },
  ];
  const first = ends.reduce((one, other) => (other.end < one.end ? other : one));
  const sent = Math.max(invoked.t, Math.min(ok.t, granted - (leaseMs + 1) * NS_PER_MS));
  const who = { process, context, call, lock, token, fence, count, kind, permits, limit };
  const times = { invoke: invoked.t, sent, ack: ok.t, deadline, lostAt };
  const isReentry = ok.op === "reenter";
  return { ...who, ...times, isReentry, release, downgrade: findDowngrade(later), ...first, written };
}

function findClaimEntries(granted: Entry, asked: Entry, later: readonly Entry[]): ClaimEntries {
  const renewals = later.filter(({ op }) => op === "renew");
  const furthest = renewals.reduce(
    (one, other) => ((other.deadline ?? 0) > (one.deadline ?? 0) ? other : one),
    granted,
  );
  const givenUpAt = later.find(({ op }) => op === "give_up")?.t ?? Number.POSITIVE_INFINITY;
  const lost = later.find(({ op, t }) => op === "lost" && t < givenUpAt);
  const release = later.filter(({ op }) => op === "release" || op === "give_up").slice(-2);
  return { asked, granted, furthest, lost, release };
}

/**
 * Finds the downgrade of a hold. A downgrade with an unknown outcome may be repeated, so it may have been executed at
 * any time since the first call.
 */
function findDowngrade(later: readonly Entry[]): Downgrade | undefined {
  const all = later.filter(({ op }) => op === "downgrade");
  const invoked = all.find(({ type }) => type === "invoke");
  if (invoked === undefined) return undefined;
  return { invoke: invoked.t, ack: all.find(({ type }) => type === "ok")?.t };
}

/**
 * Finds the release that ends a hold. A hold that was resumed with a count above 1 has several releases, and the last
 * one ends it.
 */
function findRelease(later: readonly Entry[]): Release | undefined {
  const all = later.filter(({ op }) => op === "release" || op === "give_up");
  const invoked = all.findLast(({ type }) => type === "invoke");
  if (invoked === undefined) return undefined;
  const answered = all.find(({ type, call }) => type !== "invoke" && call === invoked.call);
  return { invoke: invoked.t, ack: answered?.t, code: answered?.code, count: answered?.count };
}

export function groupByLock<Of extends { readonly lock: string }>(all: readonly Of[]): Of[][] {
  return [...groupBy(all, ({ lock }) => lock).values()];
}

export function groupBy<Of>(all: readonly Of[], getName: (each: Of) => string): Map<string, Of[]> {
  const groups = new Map<string, Of[]>();
  for (const each of all) {
    const name = getName(each);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return groups;
}
