import { getCurrentMoment } from "../../../lib/client/moment.ts";
import { LostError } from "../../errors/lock-errors.ts";
import { UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { ConditionVerbs } from "../verbs/contract/condition-verbs.ts";
import { createHoldLostError, type HoldLease } from "./hold-lease.ts";
import { assertAwaitOptions } from "./options.ts";

/** Options of `Condition.await`. */
export interface AwaitOptions {
  /** How long to wait for a signal, in milliseconds; Infinity by default. */
  readonly waitMs?: number | undefined;
  /** How long to wait to re-acquire the lock, in milliseconds; Infinity by default. */
  readonly reacquireMs?: number | undefined;
  /** Cancels the wait without acquiring the lock again. The hold is then lost. */
  readonly signal?: AbortSignal | undefined;
}

interface ConditionCommands {
  await(options: AwaitOptions): Promise<boolean>;
  signal(who: "one" | "all"): Promise<number>;
}

/** A condition variable of a held lock, like a `Condition` in Java. */
export class Condition {
  readonly #commands: ConditionCommands;

  constructor(
    readonly name: string,
    commands: ConditionCommands,
  ) {
    this.#commands = commands;
  }

  /**
   * Releases the hold, whatever its count, waits for a signal, and then acquires the lock again with the same count.
   * The hold then has a new `holdId` and a larger `fence`. Call `await` in a loop that checks the state you are waiting
   * for: another client can change that state first, and `await` can return without a signal if Redis or this process
   * was interrupted.
   *
   * @returns false if `waitMs` passed without a signal; the lock is held in either case
   * @throws with the hold unchanged: QueueFullError, ConditionUnsupportedError, UnavailableError, InvalidError; with
   * the hold lost: AbortedError, WaitTimeoutError or UnavailableError (both after `reacquireMs`), LostError,
   * UnknownOutcomeError
   */
  async await(options: AwaitOptions = {}): Promise<boolean> {
    assertAwaitOptions(options);
    return await this.#commands.await(options);
  }

  /**
   * Wakes the client that has waited longest. The client acquires the lock after you have released it.
   *
   * @returns whether a client was waiting
   * @throws LostError, ConditionUnsupportedError, InvalidError (on a quorum), UnavailableError, UnknownOutcomeError
   */
  async signal(): Promise<boolean> {
    return (await this.#commands.signal("one")) > 0;
  }

  /**
   * Wakes all waiting clients. They acquire the lock one after another once you have released it.
   *
   * @returns the number of clients that were waiting
   * @throws LostError, ConditionUnsupportedError, InvalidError (on a quorum), UnavailableError, UnknownOutcomeError
   */
  async signalAll(): Promise<number> {
    return await this.#commands.signal("all");
  }
}

/**
 * Waits for a signal on a condition, and keeps the state of `lease` up to date.
 *
 * @param onIdentityChange called with the hold's new token before `lease` is updated with it
 * @returns false if `waitMs` passed without a signal
 */
export async function awaitCondition(
  verbs: ConditionVerbs,
  lease: HoldLease,
  condition: string,
  options: AwaitOptions,
  onIdentityChange: (token: string) => void,
): Promise<boolean> {
  const { waitMs = Number.POSITIVE_INFINITY, reacquireMs = Number.POSITIVE_INFINITY } = options;
  const ref = lease.toRef();
  const ended = lease.beginWait();
  const signal = options.signal === undefined ? ended : AbortSignal.any([options.signal, ended]);
  let isGivenUp = false;
  let sentAt = getCurrentMoment();
  try {
    const { grant, abandon, isSignalled } = await verbs.await(ref, condition, {
      ...{ waitMs, reacquireMs, signal },
      onGivenUp: () => {
        isGivenUp = true;
      },
      onSend: () => {
        sentAt = getCurrentMoment();
      },
    });
    if (lease.state === "waiting") {
      onIdentityChange(grant.token);
      lease.endWait([grant, sentAt]);
      return isSignalled;
    }
    abandon();
    throw createHoldLostError(lease, "it was released while a condition was awaited");
  } catch (error) {
    const mayBeGivenUp = isGivenUp || error instanceof UnknownOutcomeError || error instanceof LostError;
    if (!mayBeGivenUp) lease.refuseWait();
    else if (lease.state === "waiting")
      lease.markLost(createHoldLostError(lease, "it was given up to wait for a condition", { cause: error }));
    throw error;
  }
}
