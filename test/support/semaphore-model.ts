import fc from "fast-check";
import type { Redis } from "ioredis";
import type { AcquireRequest } from "../../server/formats/lock-requests.ts";
import type { SemaphoreWriter } from "../../server/formats/redisson/semaphore-writer.ts";
import type { ScriptMutant } from "./mutated-scripts.ts";
import { EVENT_CHANNEL } from "./observed-lock.ts";

/** Lease of each hold in a model, in milliseconds. Longer than a test. */
export const MODEL_LEASE_MS = 60_000;

/** A hold in the model of a semaphore. */
export interface ModelHold {
  readonly token: string;
  readonly id: string;
  readonly permits: number;
  readonly fence: string;
  /** `expired`: the lease has ended, but the permits may not have been returned yet. */
  state: "live" | "expired" | "ended";
}

export type PermitRequest = Pick<AcquireRequest, "token" | "id" | "permits" | "limit">;

/** Acquires permits with the script of `writer`. */
export function sendAcquire(direct: Redis, writer: SemaphoreWriter, key: string, request: PermitRequest) {
  return writer.acquire(direct, EVENT_CHANNEL, key, {
    ...{ owner: "worker", leaseMs: MODEL_LEASE_MS, record: undefined, graceMs: 0, minHoldMs: 0 },
    ...{ unit: "ms", digest: "d", ...request },
  });
}

/** Releases the permits of a hold with the script of `writer`. @param id ID of the request */
export function sendRelease(
  direct: Redis,
  writer: SemaphoreWriter,
  key: string,
  { token, fence }: ModelHold,
  id: string,
) {
  return writer.release(direct, EVENT_CHANNEL, key, { token, fence, id, digest: "d" });
}

/** Ends the leases of the given permits. */
export async function expirePermits(
  direct: Redis,
  permitsKey: string,
  ids: readonly Buffer[],
): Promise<void> {
  await direct.zadd(permitsKey, ...ids.flatMap((id) => [1, id]));
}

/** Checks a property with random steps. With a seed, the check ends at the first failure without shrinking. */
export async function assertModel<Parameters extends [unknown, ...unknown[]]>(
  property: fc.IAsyncProperty<Parameters>,
  runs: number,
  seed?: number,
): Promise<void> {
  const ending = seed === undefined ? {} : { seed, endOnFailure: true };
  await fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: 60_000, ...ending });
}

const SCRIPTS = "redisson/semaphore/";

/** Mutants that the models of both kinds of semaphore must detect. */
export const SEMAPHORE_MUTANTS: readonly ScriptMutant[] = [
  {
    what: "a release returns one permit only",
    file: `${SCRIPTS}permits.lua`,
    from: "for n = 1, permits do returned =",
    to: "for n = 1, 1 do returned =",
  },
  {
    what: "permits are acquired that are not available",
    file: `${SCRIPTS}acquire.lua`,
    from: "if available >= permits and",
    to: "if available > 0 and",
  },
  {
    what: "the permits of a holder that died are removed but not returned",
    file: `${SCRIPTS}permits.lua`,
    from: "redis.call('INCRBY', KEYS[1], reclaimed)",
    to: "redis.call('INCRBY', KEYS[1], 0)",
  },
  {
    what: "a missing number is restored without the acquired permits",
    file: `${SCRIPTS}acquire.lua`,
    from: "available = limit - acquired",
    to: "available = limit",
  },
  {
    what: "the last fencing token of the key is not updated",
    file: `${SCRIPTS}acquire.lua`,
    from: "last.fence, last.format, last.value = fence,",
    to: "last.fence, last.format, last.value = '9007199254740900',",
  },
];
