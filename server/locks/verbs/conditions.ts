import type { Key } from "../../../lib/keys/key.ts";
import { LostError, WaitTimeoutError } from "../../errors/lock-errors.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type {
  AwaitReply,
  ConditionKind,
  ConditionRequest,
  ConditionScripts,
  GivenUpHold,
  WaiterStatus,
} from "../../formats/conditions/condition-scripts.ts";
import type { Commands } from "../../redis/commands.ts";
import type { AbortSignalLike } from "../waiting/abort-signal-like.ts";
import type { ConditionPlace, ConditionWaiters } from "../waiting/condition-waiters.ts";
import { createAbortedError, PLACE_RETENTION_MS } from "../waiting/wait-coordinator.ts";
import { WaitCancellation } from "../waiting/wait-stop.ts";
import { type Acquirer, WAITERS_MAX } from "./acquirer.ts";
import { attempt } from "./attempt.ts";
import type {
  ConditionGrant,
  ConditionVerbs,
  ConditionWaitOptions,
  SignalOptions,
} from "./contract/condition-verbs.ts";
import type { VerbHold } from "./contract/grant.ts";
import {
  createConditionUnsupportedError,
  createForgottenWaiterError,
  createLostError,
  createNotOwnerError,
  createQueueFullError,
  createRefusalError,
} from "./error-factories.ts";
import { assertCallerTexts } from "./input/caller-texts.ts";
import type { LockableKeys } from "./lockable-keys.ts";
import type { RequestFactory } from "./request-factory.ts";

/** Maximum duration of a timer, in ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/**
 * Maximum length of one wait for the lock, in ms. A longer wait is split into several, because Redis stores the end of
 * each wait.
 */
const REACQUIRE_STRETCH_MS = 60 * 60 * 1000;
/** Time limit for removing a waiter, in ms. After that, the waiter expires with its heartbeat. */
const LEAVE_BUDGET_MS = 10_000;

const CONDITION_NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** The connection and other components that conditions share with the locks of the same target. */
export interface ConditionParts {
  readonly redis: Commands;
  readonly channel: string;
  readonly scripts: ConditionScripts;
  readonly waiters: ConditionWaiters;
  readonly acquirer: Acquirer;
  readonly requests: RequestFactory;
  readonly lockable: LockableKeys;
  readonly fairWaitMs: number;
  /** Called when a hold is given up to wait for a condition. */
  readonly onGivenUp: (key: Key, fence: string) => void;
}

/** A wait for a condition, from the request until the client holds the lock again. */
interface ConditionWait {
  readonly key: Key;
  readonly kind: ConditionKind;
  readonly ask: ConditionRequest;
  readonly options: ConditionWaitOptions;
}

/** The status of a waiter that has stopped waiting for a signal, and whether its time limit passed. */
interface WakeUp extends WaiterStatus {
  readonly isTimeout: boolean;
}

/** Runs the condition verbs on one Redis or Redis Cluster. */
export class Conditions implements ConditionVerbs {
  constructor(private readonly parts: ConditionParts) {}

  async await(hold: VerbHold, condition: string, options: ConditionWaitOptions): Promise<ConditionGrant> {
    const { key } = hold;
    this.#assertAllowed(hold, condition, options);
    assertWait("waitMs", options.waitMs);
    assertWait("reacquireMs", options.reacquireMs);
    const kind = getConditionKind(hold);
    const ask = this.parts.requests.createConditionRequest("await", hold, condition, options);
    const wait = { key, kind, ask, options };
    const givenUp = await this.#giveUpHold(wait);
    const place = this.parts.waiters.join(key, ask.id);
    try {
      const wakeUp = await this.#awaitSignal(wait, givenUp, place);
      const acquired = await this.#reacquire(wait, givenUp, wakeUp);
      return { ...acquired, isSignalled: !wakeUp.isTimeout };
    } catch (error) {
      if (!place.isSuperseded) this.#leave(wait);
      throw error;
    } finally {
      place.leave();
    }
  }

  async signal(hold: VerbHold, condition: string, { who, requestId }: SignalOptions) {
    const { redis, scripts, requests } = this.parts;
    this.#assertAllowed(hold, condition, { requestId });
    const lock = { key: hold.key, kind: getConditionKind(hold) };
    const verb = who === "one" ? "signal" : "signal_all";
    const ask = requests.createConditionRequest(verb, hold, condition, { requestId });
    const reply = await attempt(redis, (retryMs) => scripts.signal(redis, lock, { ...ask, retryMs }, who));
    if (reply.outcome === "signalled") return { count: reply.count, asOf: reply.asOf };
    throw toRefusal(hold.key, reply);
  }

  async #giveUpHold(wait: ConditionWait): Promise<GivenUpHold> {
    const { redis, channel, scripts, fairWaitMs } = this.parts;
    const { key, ask, options } = wait;
    const limits = { waitersMax: WAITERS_MAX, fairWaitMs };
    let reply: AwaitReply;
    try {
      reply = await attempt(redis, (retryMs) =>
        scripts.await(redis, channel, wait, { ...ask, retryMs }, limits),
      );
    } catch (error) {
      if (error instanceof UnknownOutcomeError) this.#leave(wait);
      throw error;
    }
    if (reply.outcome === "done") {
      options.onGivenUp?.();
      // The placeholders are not used, because the stored grant contains these fields.
      return {
        ...reply,
        outcome: "waiting",
        state: "stopped",
        sinceMs: undefined,
        count: 1,
        leaseMs: 1,
        owner: "",
      };
    }
    if (reply.outcome !== "waiting") throw toRefusal(key, reply);
    this.parts.onGivenUp(key, ask.fence);
    options.onGivenUp?.();
    return reply;
  }

  /** Waits for a signal until the time limit has passed. Continues to wait while Redis is unreachable. */
  async #awaitSignal(wait: ConditionWait, givenUp: GivenUpHold, place: ConditionPlace): Promise<WakeUp> {
    const { waitMs, signal } = wait.options;
    if (givenUp.state !== "waiting") return { ...givenUp, isTimeout: false };
    const deadline = performance.now() + waitMs;
    for (;;) {
      const leftMs = Math.max(0, deadline - performance.now());
      const stop = new WaitCancellation(Math.min(leftMs, TIMER_MS_MAX), signal);
      try {
        const woken = requireRecord(wait.key, await place.awaitWakeUp(stop));
        return { ...woken, isTimeout: false };
      } catch (error) {
        if (error !== stop) throw error;
        if (stop.ending !== "timed_out") throw createAbortedError(signal);
        if (leftMs <= TIMER_MS_MAX) return await this.#stopWaiting(wait);
      } finally {
        stop.dispose();
      }
    }
  }

  /** Ends the wait for a signal, unless a signal is sent before Redis executes this call. */
  async #stopWaiting({ key, ask, options: { signal, reacquireMs } }: ConditionWait): Promise<WakeUp> {
    const { redis, scripts } = this.parts;
    const stop = () => attempt(redis, () => scripts.leave(redis, key, ask.id, "stop"));
    const stopped = requireRecord(key, await retryThroughOutages(stop, reacquireMs, signal));
    return { ...stopped, isTimeout: stopped.state === "stopped" };
  }

  async #reacquire(wait: ConditionWait, givenUp: GivenUpHold, wakeUp: WakeUp) {
    const { requests, acquirer } = this.parts;
    const { key, kind, ask, options } = wait;
    const { requestId, signal, onSend, reacquireMs } = options;
    const request = {
      ...requests.createReacquireRequest(ask, givenUp, requestId !== undefined),
      passSignal: wakeUp.state === "signalled" ? this.#passSignal.bind(this, wait) : undefined,
    };
    const sinceMs = wakeUp.sinceMs ?? givenUp.asOf;
    const deadline = performance.now() + reacquireMs;
    for (;;) {
      const leftMs = Math.max(1, deadline - performance.now());
      const waitMs = Math.min(leftMs, REACQUIRE_STRETCH_MS);
      try {
        return await acquirer.reacquire(key, kind, request, { requestId, signal, onSend, waitMs, sinceMs });
      } catch (error) {
        if (error instanceof LostError) throw createForgottenWaiterError(key);
        if (!(error instanceof WaitTimeoutError)) throw error;
        if (leftMs > REACQUIRE_STRETCH_MS) continue;
        throw new WaitTimeoutError(
          `The lock was not acquired again within ${reacquireMs} ms. Nothing is held. ${error.message}`,
          error.facts,
        );
      }
    }
  }

  /**
   * Signals the next waiter as the holder of a grant that is about to be withdrawn. A failure is ignored, because the
   * grant must be withdrawn in any case.
   */
  async #passSignal({ key, kind, ask }: ConditionWait, token: string): Promise<void> {
    const { redis, scripts, requests } = this.parts;
    // The fencing token is not known if the reply to the acquire was lost.
    const hold = { key, kind, format: "redisson", unit: undefined, token, fence: "" } as const;
    const request = requests.createConditionRequest(
      "signal",
      { ...hold, principal: ask.principal },
      ask.condition,
      {},
    );
    const send = (retryMs?: number) => scripts.signal(redis, { key, kind }, { ...request, retryMs }, "one");
    await attempt(redis, send, { budgetMs: LEAVE_BUDGET_MS }).catch(() => undefined);
  }

  /** Ends a wait without acquiring the lock. Keeps the place for a short time if the client can repeat its request. */
  #leave({ key, ask, options: { requestId } }: ConditionWait): void {
    const { redis, scripts } = this.parts;
    const mode = requestId === undefined ? "leave" : "keep";
    attempt(redis, () => scripts.leave(redis, key, ask.id, mode, PLACE_RETENTION_MS), {
      budgetMs: LEAVE_BUDGET_MS,
    }).catch(() => undefined);
  }

  #assertAllowed(
    { key, principal }: VerbHold,
    condition: string,
    { requestId }: Pick<SignalOptions, "requestId">,
  ): void {
    this.parts.lockable.assertAllowed(key);
    assertCallerTexts({ principal, requestId });
    assertConditionName(condition);
  }
}

/** @throws InvalidError unless the name is a string of 1 to 64 letters, digits, dots, `_` or `-` */
export function assertConditionName(condition: unknown): void {
  if (typeof condition === "string" && CONDITION_NAME.test(condition)) return;
  throw new InvalidError("The name of a condition must have 1 to 64 letters, digits, dots, _ or -.", {
    field: "condition",
  });
}

function assertWait(field: string, ms: number): void {
  if (ms >= 0) return;
  throw new InvalidError(`${field} must be a number of milliseconds, 0 or more.`, { field });
}

/** @throws ConditionUnsupportedError */
function getConditionKind({ key, format, kind = "lock" }: VerbHold): ConditionKind {
  if (format === "redisson" && (kind === "lock" || kind === "fair")) return kind;
  const what = format === "redisson" ? `lock of the kind ${kind}` : `lock of the format ${format}`;
  throw createConditionUnsupportedError(key, `A ${what} has no conditions.`);
}

function toRefusal(key: Key, reply: Exclude<AwaitReply, { outcome: "waiting" | "done" }>): Error {
  switch (reply.outcome) {
    case "lost":
      return createLostError(key, reply);
    case "not_owner":
      return createNotOwnerError(key);
    case "min_hold":
      return createConditionUnsupportedError(key, "A hold with a minimum hold time cannot be given up.");
    case "queue_full":
      return createQueueFullError(key, reply.waiting);
    default:
      return createRefusalError(key, "redisson", { outcome: reply.outcome });
  }
}

/** @throws LostError if Redis has no record of the waiter */
function requireRecord(key: Key, status: WaiterStatus): WaiterStatus {
  if (status.state === "lost") throw createForgottenWaiterError(key);
  return status;
}

/** Repeats an idempotent call while Redis is unreachable, for up to `limitMs`. */
async function retryThroughOutages<Reply>(
  call: () => Promise<Reply>,
  limitMs: number,
  signal: AbortSignalLike | undefined,
): Promise<Reply> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isOutage = error instanceof UnavailableError || error instanceof UnknownOutcomeError;
      if (!isOutage || performance.now() >= deadline) throw error;
      if (signal?.aborted) throw createAbortedError(signal);
    }
  }
}
