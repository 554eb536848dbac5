import { z } from "zod";
import { keyFields } from "../lock.ts";
import { REFUSAL_REASONS } from "../refusal.ts";
import { KEY } from "./lock-facts.ts";
import type { ProblemKind } from "./problem-kind.ts";

/** Problems that are caused by load, by Redis or by the server. */
export const SERVER_PROBLEMS = {
  rate_limited: {
    meaning:
      "The caller, or its address if it has no valid credentials, sends requests faster than permitted.",
    outcome: "not_done",
    retry: "after_delay",
    sendsRetryAfter: true,
    remedy: "Wait for `Retry-After`, then send fewer requests per second.",
    facts: {
      remainingMs: z.int().meta({ description: "Milliseconds until the next request is accepted." }),
      perSecond: z.number().optional().meta({ description: "Requests per second that the limit permits." }),
      burst: z.int().optional().meta({ description: "Requests that the limit permits in one burst." }),
      per: z.enum(["caller", "address"]).optional().meta({
        description:
          "What the limit applies to. address: the client address, for requests without valid credentials.",
      }),
    },
    example: {
      detail:
        "Each caller is limited to 200 requests per second, with bursts of 400. Nothing was done. Retry later.",
      remainingMs: 5,
      perSecond: 200,
      burst: 400,
      per: "caller",
    },
  },
  quota_exceeded: {
    meaning:
      "The caller has reached its quota of live holds or of the bytes that they use. Each instance counts on its own, from the keys that it watches and from its own grants, so the numbers are approximate.",
    outcome: "not_done",
    retry: "after_delay",
    sendsRetryAfter: true,
    remedy:
      "Release holds that you no longer need, or ask an administrator to raise the quota of the API key. Renewals and releases are never refused.",
    facts: {
      quota: z
        .enum(["holds", "bytes"])
        .meta({ description: "holds: number of live holds. bytes: their estimated size in Redis." }),
      limit: z.int().meta({ description: "The quota." }),
      used: z.int().meta({ description: "The caller's current usage, as counted by this instance." }),
    },
    example: {
      detail:
        "The caller has 10000 live holds, and its quota is 10000. Nothing was acquired. Release holds, or ask an administrator to raise the quota.",
      quota: "holds",
      limit: 10_000,
      used: 10_000,
    },
  },
  queue_full: {
    meaning: "The maximum number of clients is already waiting for the lock.",
    outcome: "not_done",
    retry: "after_delay",
    sendsRetryAfter: true,
    remedy: "Retry with increasing delays.",
    facts: {
      ...keyFields,
      waiting: z.int().meta({ description: "The number of clients that are waiting." }),
    },
    example: {
      detail: "1000 clients are waiting for this lock, which is the maximum. Retry later.",
      key: KEY,
      waiting: 1000,
    },
  },
  too_many_waiting: {
    meaning: "The caller already has the maximum number of requests waiting for locks on this server.",
    outcome: "not_done",
    retry: "after_delay",
    sendsRetryAfter: true,
    remedy: "Wait for fewer locks at once, or retry after `Retry-After`.",
    facts: {
      limit: z.int().meta({ description: "The number of requests of one caller that may wait at once." }),
    },
    example: {
      detail:
        "500 of your requests are waiting, which is the maximum. Wait for fewer locks at once, or raise LOCKKEEPER_WAITERS_MAX.",
      limit: 500,
    },
  },
  too_many_streams: {
    meaning: "The server, or the caller, has the maximum number of event streams open.",
    outcome: "not_done",
    retry: "after_delay",
    sendsRetryAfter: true,
    remedy: "Close streams that you no longer read, or retry after `Retry-After`.",
    facts: { limit: z.int().meta({ description: "The number of streams that may be open at once." }) },
    example: {
      detail: "1000 streams are open, which is the maximum. Close some, or raise LOCKKEEPER_STREAMS_MAX.",
      limit: 1000,
    },
  },
  internal: {
    meaning: "Lockkeeper failed to handle the request. This is a bug in Lockkeeper.",
    outcome: "unknown",
    retry: "same_idempotency_key",
    remedy:
      "Report it with its `requestId`. The server log contains the cause under this ID. Without an `Idempotency-Key`, read the lock before you retry.",
    facts: {},
    example: { detail: "This is a bug in Lockkeeper. The server's log has the cause under this request ID." },
  },
  unavailable: {
    meaning:
      "Redis could not be reached or refuses the command, the server is starting or stopping, or no locks are granted for a while after a failover.",
    outcome: "not_done",
    retry: "after_delay",
    sendsRetryAfter: true,
    remedy:
      "Retry after `Retry-After`, with the same `Idempotency-Key` if you sent one. If `reason` shows that Redis refuses the command, an operator must fix the cause as `detail` describes.",
    facts: {
      reason: z
        .enum(["failover_hold_off", "stopping", ...REFUSAL_REASONS])
        .optional()
        .meta({
          description:
            "failover_hold_off: no locks are granted for a while after a failover. stopping: this server is stopping; another instance may respond. The others: Redis responds and refuses the command (NOREPLICAS, MISCONF, OOM, READONLY, CLUSTERDOWN, MASTERDOWN, LOADING, BUSY, NOPERM, NOAUTH, in this order). Absent if Redis does not respond.",
        }),
      remainingMs: z.int().optional().meta({ description: "Milliseconds until locks are granted again." }),
    },
    example: { detail: "Could not reach Redis. Nothing was done. Retry later." },
  },
  not_replicated: {
    meaning:
      "Redis carried out the request, but fewer replicas than the target requires confirmed it in time. A failover could undo it, so an acquired lock was released again; a renewal may not last.",
    outcome: "unconfirmed",
    retry: "new_idempotency_key",
    sendsRetryAfter: true,
    remedy:
      "Retry with a new `Idempotency-Key`: the previous one returns the stored outcome. Renew before the lease expires.",
    facts: {
      replicas: z.int().meta({ description: "The number of replicas that must confirm." }),
      confirmed: z.int().optional().meta({
        description: "The number that confirmed; absent if the master did not report it.",
      }),
    },
    example: {
      detail:
        "2 replicas must confirm a grant, and 1 did in time. The lock was released again; retry with a new Idempotency-Key.",
      replicas: 2,
      confirmed: 1,
    },
  },
  unknown_outcome: {
    meaning: "The request was sent to Redis, and no reply arrived in time.",
    outcome: "unknown",
    retry: "same_idempotency_key",
    sendsRetryAfter: true,
    remedy:
      "Retry with the same `Idempotency-Key`: it is carried out only once. Without one, read the lock before you decide.",
    facts: {},
    example: {
      detail:
        "Redis did not reply in time, so this may or may not have been done. Retry with the same Idempotency-Key, or read the lock.",
    },
  },
} as const satisfies Record<string, ProblemKind>;
