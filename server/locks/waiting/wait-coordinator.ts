import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import {
  AbortedError,
  type DeadlockError,
  type HeldError,
  WaitTimeoutError,
} from "../../errors/lock-errors.ts";
import type { AbortSignalLike } from "./abort-signal-like.ts";
import { createDeadlockError } from "./deadlock-error.ts";
import type { DeadlockRefusals } from "./deadlock-refusals.ts";
import { RunningWait, type RunningWaitOptions, type WaitAttempt } from "./running-wait.ts";
import { WaitCancellation, type WaitEndReason } from "./wait-stop.ts";
import type { WaiterQueues } from "./waiter-queues.ts";

/** Time, in ms, for which a waiter that cancelled or timed out can return to its place by repeating its request id. */
export const PLACE_RETENTION_MS = 5000;

export interface WaitOptions extends RunningWaitOptions {
  readonly signal: AbortSignalLike | undefined;
  /** A request id chosen by the caller. A repeated request keeps its place. */
  readonly requestId: string | undefined;
  /** The id under which a deadlock refusal can end this wait; `undefined` if a deadlock cannot end it. */
  readonly refusableId?: string | undefined;
  /** When the caller began to wait, in Unix ms on the Redis clock; the time of the first attempt by default. */
  readonly sinceMs?: number | undefined;
}

/** A grant that can be revoked if its caller has stopped waiting. */
export interface Revocable {
  revoke(): void;
}

/** Called when a wait ends without acquiring the lock. `ending` is `undefined` if an attempt failed. */
export type OnWaitEnd = (ending: WaitEndReason | undefined, sinceMs: number | undefined) => void;

/**
 * Runs waits for locks. The waiters for one key take turns to make attempts. A caller whose connection breaks can
 * return to its place by repeating its request id.
 */
export class WaitCoordinator {
  readonly #retainedPlaces = new Map<string, { sinceMs: number; timer: NodeJS.Timeout }>();
  readonly #runningWaits = new Map<string, WaitCancellation>();

  /**
   * @param refusals reports which waits must end because of a deadlock; if `undefined`, no wait ends for that reason
   */
  constructor(
    private readonly queues: WaiterQueues,
    private readonly refusals?: DeadlockRefusals,
  ) {}

  /**
   * Makes attempts until one returns `done`, or until the time limit passes, the signal aborts, a later request with
   * the same id takes over, or the wait is refused because of a deadlock. Between attempts, waits in the queue of the
   * lock that was most recently refused.
   *
   * @param key the lock to wait for, unless an attempt reports a different lock
   * @param onEnd called once if the wait ends without the lock, with the start of the wait and, unless an attempt
   * failed, the reason
   * @throws LockkeeperError timeout, deadlock, aborted; errors that an attempt throws
   */
  async run<Reply extends Revocable>(
    key: Key,
    options: WaitOptions,
    attempt: WaitAttempt<Reply>,
    onEnd: OnWaitEnd,
  ): Promise<Reply> {
    const { waitMs, signal, requestId, refusableId } = options;
    const name = requestId === undefined ? undefined : `${requestId}\n${key}`;
    const stop = new WaitCancellation(waitMs, signal);
    const sinceMs = this.#reclaimPlace(name) ?? options.sinceMs;
    const wait = new RunningWait(this.queues, key, stop, attempt, sinceMs, options);
    if (name !== undefined) this.#supersede(name, stop);
    const unregister =
      refusableId === undefined
        ? undefined
        : this.refusals?.register(refusableId, (cycle) => stop.refuse(cycle));
    let heldMs: number | undefined;
    try {
      if (stop.ending !== undefined) throw stop;
      for (;;) {
        const pending = wait.awaitTurn();
        const turn = pending === undefined ? "retry" : await pending;
        const granted = await wait.makeAttempt(turn);
        if (granted === undefined) continue;
        const acquired = requireStillWanted(granted.done, stop, signal);
        heldMs = granted.heldMs;
        return acquired;
      }
    } catch (error) {
      onEnd(stop.ending, wait.sinceMs);
      if (wait.sinceMs !== undefined) this.#retainPlace(name, wait.sinceMs, stop);
      throw error === stop ? toWaitError(stop, wait.queuedKey, wait.refusal, signal) : error;
    } finally {
      wait.leave(heldMs);
      unregister?.();
      stop.dispose();
      if (name !== undefined && this.#runningWaits.get(name) === stop) this.#runningWaits.delete(name);
    }
  }

  #supersede(name: string, stop: WaitCancellation): void {
    this.#runningWaits.get(name)?.end("superseded");
    this.#runningWaits.set(name, stop);
  }

  /**
   * Keeps the place of a caller that cancelled or timed out, because the caller may repeat the request with the same
   * id.
   */
  #retainPlace(name: string | undefined, sinceMs: number, { ending }: WaitCancellation): void {
    if (name === undefined || ending === undefined || ending === "superseded" || ending === "deadlock")
      return;
    clearTimeout(this.#retainedPlaces.get(name)?.timer);
    const timer = setTimeout(() => this.#retainedPlaces.delete(name), PLACE_RETENTION_MS);
    timer.unref();
    this.#retainedPlaces.set(name, { sinceMs, timer });
  }

  #reclaimPlace(name: string | undefined): number | undefined {
    const kept = name === undefined ? undefined : this.#retainedPlaces.get(name);
    if (name === undefined || kept === undefined) return undefined;
    clearTimeout(kept.timer);
    this.#retainedPlaces.delete(name);
    return kept.sinceMs;
  }
}

/** Revokes a grant if its caller has stopped waiting, unless a later request with the same id has taken over. */
function requireStillWanted<Reply extends Revocable>(
  acquired: Reply,
  { ending }: WaitCancellation,
  signal: AbortSignalLike | undefined,
): Reply {
  if (ending === undefined || ending === "timed_out" || ending === "deadlock") return acquired;
  if (ending === "given_up") acquired.revoke();
  throw createAbortedError(signal);
}

function toWaitError(
  { ending, deadlock = [] }: WaitCancellation,
  key: Key,
  refusal: HeldError | undefined,
  signal: AbortSignalLike | undefined,
): WaitTimeoutError | DeadlockError | AbortedError {
  if (ending === "deadlock") return createDeadlockError(toKeyFields(key), deadlock);
  if (ending === "timed_out" && refusal !== undefined) {
    return new WaitTimeoutError(`The wait is over. ${refusal.message}`, refusal.facts);
  }
  return createAbortedError(signal);
}

/**
 * Creates the error for a cancelled wait. Its cause is the abort reason of the caller's signal, if the signal aborted.
 */
export function createAbortedError(signal: AbortSignalLike | undefined): AbortedError {
  const options = signal instanceof AbortSignal && signal.aborted ? { cause: signal.reason } : undefined;
  return new AbortedError("The wait was cancelled. Nothing is held.", options);
}
