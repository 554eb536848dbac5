import type { Key } from "../../../lib/keys/key.ts";
import { withTimeout } from "../../concurrency/with-timeout.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { AcquireRequest } from "../../formats/lock-requests.ts";
import type { AcquiredGrant, AcquiredGroup } from "../verbs/contract/grant.ts";
import type { AcquireOptions } from "../verbs/contract/verbs.ts";
import { sortKeys } from "../verbs/input/lock-set.ts";
import type { RequestFactory } from "../verbs/request-factory.ts";
import type { WaitAttemptResult } from "../waiting/running-wait.ts";
import type { Revocable, WaitCoordinator } from "../waiting/wait-coordinator.ts";
import { QuorumAttempt, type QuorumGrant } from "./quorum-attempt.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { type RetryLimits, retryAttempt, toAttemptError } from "./retry-attempt.ts";
import { CONTENTION_BUDGET_MS } from "./time-limits.ts";

/** Maximum time, in ms, for which a refused attempt waits until its locks are withdrawn. */
const ROLLBACK_WAIT_MS = 500;

interface LockAttempt {
  readonly key: Key;
  readonly request: AcquireRequest;
  readonly attempt: QuorumAttempt;
}

/** Functions that convert the outcome for one lock of a group in the same way as for a single lock. */
export interface QuorumOutcomes {
  toGrant(attempt: QuorumAttempt, key: Key, request: AcquireRequest, elected: QuorumGrant): AcquiredGrant;
  toRefusal(key: Key, error: LockkeeperError): Promise<LockkeeperError>;
}

type GroupOutcome =
  | { readonly outcome: "granted"; readonly acquired: readonly AcquiredGrant[] }
  | { readonly outcome: "refused"; readonly key: Key; readonly error: LockkeeperError };

/**
 * Acquires several locks on a quorum, one after another in the sort order of their keys, which is the same in every
 * process. If a lock is refused, the locks acquired before it are withdrawn.
 */
export class QuorumGroupAcquirer {
  constructor(
    private readonly masters: readonly QuorumMaster[],
    private readonly waits: WaitCoordinator,
    private readonly requests: RequestFactory,
    private readonly outcomes: QuorumOutcomes,
  ) {}

  /** @throws LockkeeperError like `QuorumLocks.acquire` */
  async acquire(keys: readonly Key[], options: AcquireOptions): Promise<AcquiredGroup> {
    const { waitMs = 0, signal, requestId, onSend } = options;
    const sorted = sortKeys(keys);
    const locks = this.#createAttempts(sorted, options);
    try {
      if (waitMs === 0) {
        onSend?.();
        const outcome = await this.#attemptAll(locks, undefined);
        if (outcome.outcome === "granted") return toAcquiredGroup(keys, locks, outcome.acquired);
        throw outcome.error;
      }
      const named = requestId && `${locks[0]?.request.id} all`;
      return await this.waits.run(
        sorted[0] ?? "",
        { waitMs, signal, requestId: named, enqueueing: { acceptsHandOver: false } },
        async (leftMs): Promise<WaitAttemptResult<AcquiredGroup & Revocable>> => {
          onSend?.();
          const outcome = await this.#attemptAll(locks, leftMs);
          if (outcome.outcome === "granted") {
            const group = toAcquiredGroup(keys, locks, outcome.acquired);
            return { done: { ...group, revoke: () => requestId === undefined && group.abandon() } };
          }
          const { key, error } = outcome;
          if (!(error instanceof HeldError)) throw error;
          return { key, heldMs: error.facts.remainingMs, asOf: error.facts.asOf, toError: () => error };
        },
        () => undefined,
      );
    } finally {
      for (const { attempt } of locks) attempt.close();
    }
  }

  #createAttempts(sorted: readonly Key[], options: AcquireOptions): LockAttempt[] {
    // A quorum does not support release requests.
    const asked = { ...options, format: "token", receivesReleaseRequests: false } as const;
    const ask = this.requests.createAcquireAllRequest(sorted, asked);
    const idSource = options.requestId === undefined ? "by_lockkeeper" : "by_caller";
    return sorted.map((key) => {
      const request = { ...ask, token: this.requests.createToken() };
      return { key, request, attempt: new QuorumAttempt(this.masters, key, request, idSource) };
    });
  }

  /** @param waitMs how long the request will wait if it is refused, in ms; `undefined` if it will not wait */
  async #attemptAll(locks: readonly LockAttempt[], waitMs: number | undefined): Promise<GroupOutcome> {
    const startedAt = performance.now();
    const acquired: AcquiredGrant[] = [];
    const limits: RetryLimits = {
      waitMs: waitMs === undefined ? undefined : () => waitMs,
      // The limit is short, because the request already holds the earlier locks of the group.
      splitRetryMs: CONTENTION_BUDGET_MS,
      outageRetryMs: 0,
      onSend: undefined,
    };
    for (const lock of locks) {
      const { key, request, attempt } = lock;
      const outcome = await retryAttempt(attempt, limits);
      if (outcome.outcome !== "elected") {
        const error = await this.outcomes.toRefusal(key, toAttemptError(key, request, attempt, outcome));
        // After an unknown outcome, the caller may already be repeating the request, which must then return the same
        // locks.
        if (!(error instanceof UnknownOutcomeError)) await withdraw(locks.slice(0, acquired.length));
        for (const other of locks) if (other !== lock) other.attempt.stopWaiting();
        return { outcome: "refused", key, error };
      }
      acquired.push(this.outcomes.toGrant(attempt, key, request, outcome));
    }
    const remainingMs = Math.min(...acquired.map(({ grant }) => grant.remainingMs));
    if (performance.now() - startedAt < remainingMs) return { outcome: "granted", acquired };
    await withdraw(locks);
    throw new UnavailableError(
      "The locks were granted too late for their lease. All of them were released; nothing is held.",
    );
  }
}

async function withdraw(locks: readonly LockAttempt[]): Promise<void> {
  const withdrawn = Promise.all(locks.map(({ attempt }) => attempt.revokeVotes()));
  await withTimeout(ROLLBACK_WAIT_MS, withdrawn).catch(() => undefined);
}

function toAcquiredGroup(
  keys: readonly Key[],
  locks: readonly LockAttempt[],
  acquired: readonly AcquiredGrant[],
): AcquiredGroup {
  const byKey = new Map(acquired.map(({ grant }) => [grant.key, grant]));
  return {
    grants: keys.flatMap((key) => byKey.get(key) ?? []),
    isReplayed: false,
    abandon: () => void Promise.all(locks.map(({ attempt }) => attempt.revokeVotes())),
  };
}
