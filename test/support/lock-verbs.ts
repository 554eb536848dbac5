import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { TimestampUnit, WritableFormat } from "../../lib/contract/format.ts";
import { LOCK_WRITERS } from "../../server/formats/lock-writer.ts";
import { stopWaiting } from "../../server/formats/stop-waiting.ts";
import { EVENT_CHANNEL } from "./observed-lock.ts";

const LEASE_MS = 30_000;
const LONGER_MS = 90_000;
const BY_MEI = { by: "mei", reason: "a test" };
const RESERVATION = { owner: "lockkeeper:reserve:mei", reservedMs: LONGER_MS };

export interface SpokenFormat {
  readonly name: string;
  readonly format: WritableFormat;
  readonly unit: TimestampUnit;
}

export const SPOKEN_FORMATS: readonly SpokenFormat[] = [
  { name: "redisson", format: "redisson", unit: "ms" },
  { name: "token", format: "token", unit: "ms" },
  { name: "timestamp in ms", format: "timestamp", unit: "ms" },
  { name: "timestamp in s", format: "timestamp", unit: "s" },
];

/** The hold to which a request refers. */
export interface NamedHold {
  readonly token: string;
  readonly fence: string | null;
  readonly principal: string | undefined;
  /** `retryMs` of a repeated request. */
  readonly retryMs?: number | undefined;
}

/** Runs one script of a format. */
export type LockVerb = (
  redis: Redis,
  key: string,
  spoken: SpokenFormat,
  named: NamedHold,
) => Promise<unknown>;

/** Creates the fields that identify a request, with a new ID. */
export const identifyRequest = ({ principal, retryMs }: Pick<NamedHold, "principal" | "retryMs">) => ({
  ...{ id: randomUUID(), digest: "digest", principal, retryMs },
});

/** Acquires a lock with the token of `named`, and joins the queue if `waitMs` is given. */
export function acquireAs(
  redis: Redis,
  key: string,
  { format, unit }: SpokenFormat,
  named: NamedHold,
  waitMs?: number,
) {
  const waiting = waitMs === undefined ? undefined : { waitMs, sinceMs: undefined, waitersMax: 10 };
  const ask = { token: named.token, owner: "you", leaseMs: LEASE_MS, record: undefined, unit };
  const request = { ...ask, graceMs: 0, minHoldMs: 0, ...identifyRequest(named) };
  return LOCK_WRITERS[format].acquire(redis, EVENT_CHANNEL, key, request, waiting);
}

const toRenewRequest = (named: NamedHold) => ({
  ...{ token: named.token, fence: named.fence ?? "", leaseMs: LONGER_MS, ...identifyRequest(named) },
});

const toReleaseRequest = (named: NamedHold) => ({
  ...{ token: named.token, fence: named.fence ?? undefined, ...identifyRequest(named) },
});

/** Scripts that act on a hold. */
export const VERBS_OF_HOLDS: Readonly<Record<string, LockVerb>> = {
  reenter: (redis, key, { format }, named) =>
    LOCK_WRITERS[format].reenter(redis, EVENT_CHANNEL, key, toRenewRequest(named)),
  renew: (redis, key, { format }, named) =>
    LOCK_WRITERS[format].renew(redis, EVENT_CHANNEL, key, toRenewRequest(named)),
  "renew-many": (redis, key, { format }, { token, fence }) =>
    LOCK_WRITERS[format].renewMany(redis, EVENT_CHANNEL, [
      { key, token, fence: fence ?? "", leaseMs: LONGER_MS },
    ]),
  verify: (redis, key, { format }, { token, fence, principal }) =>
    LOCK_WRITERS[format].verify(redis, key, { token, fence: fence ?? "", principal }),
  release: (redis, key, { format }, named) =>
    LOCK_WRITERS[format].release(redis, EVENT_CHANNEL, key, toReleaseRequest(named)),
  "release and reserve": (redis, key, { format }, named) =>
    LOCK_WRITERS[format].release(redis, EVENT_CHANNEL, key, {
      ...{ ...toReleaseRequest(named), reservation: RESERVATION },
    }),
  "release all counts": (redis, key, { format }, named) =>
    LOCK_WRITERS[format].release(redis, EVENT_CHANNEL, key, { ...toReleaseRequest(named), counts: "all" }),
  extend: (redis, key, { format }, { token, fence }) =>
    LOCK_WRITERS[format].extend(redis, EVENT_CHANNEL, key, { token, fence, leaseMs: LONGER_MS, ...BY_MEI }),
  "force-release": (redis, key, { format }, { token, fence }) =>
    LOCK_WRITERS[format].forceRelease(redis, EVENT_CHANNEL, key, { token, fence, ...BY_MEI }),
  "force-release and reserve": (redis, key, { format }, { token, fence }) =>
    LOCK_WRITERS[format].forceRelease(redis, EVENT_CHANNEL, key, {
      ...{ token, fence, ...BY_MEI, reservation: RESERVATION },
    }),
  "renew and receive requests": (redis, key, { format }, named) =>
    LOCK_WRITERS[format].renew(redis, EVENT_CHANNEL, key, {
      ...{ ...toRenewRequest(named), receivesReleaseRequests: true },
    }),
  "request-release": (redis, key, { format }, { token, fence }) =>
    LOCK_WRITERS[format].requestRelease(redis, EVENT_CHANNEL, key, {
      ...{ token, fence: fence ?? "", requestId: "rr_1", ...BY_MEI },
    }),
  "answer-release-request": (redis, key, { format }, { token, fence, principal }) =>
    LOCK_WRITERS[format].answerReleaseRequest(redis, EVENT_CHANNEL, key, {
      ...{ token, fence: fence ?? "", principal, requestId: "rr_1", answer: "accepted", text: undefined },
    }),
  agree: (redis, key, { format }, { token, fence }) =>
    LOCK_WRITERS[format].agree(redis, key, { token, from: fence ?? "", fence: "1999999999999999", count: 5 }),
};

/** Scripts that act on a key without a hold. */
export const VERBS_OF_KEYS: Readonly<Record<string, LockVerb>> = {
  acquire: (redis, key, spoken, named) => acquireAs(redis, key, spoken, named),
  reserve: (redis, key, spoken, { retryMs }) =>
    acquireAs(redis, key, spoken, {
      ...{ token: RESERVATION.owner, fence: null, principal: undefined, retryMs },
    }),
  "stop waiting": (redis, key) =>
    stopWaiting(redis, EVENT_CHANNEL, key, { requestId: "r", sinceMs: 1, owner: "you", keepMs: 0 }),
};
