import { getCurrentMoment } from "../../../lib/client/moment.ts";
import { LostError } from "../../errors/lock-errors.ts";
import { UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { ConditionVerbs } from "../verbs/verbs.ts";
import { createHoldLostError, type HoldLease } from "./hold-lease.ts";
import { assertAwaitOptions } from "./options.ts";

/** Options of `await`. */
export interface AwaitOptions {
  /** How long to wait for a signal in milliseconds; Infinity by default. */
  readonly waitMs?: number | undefined;
  /** How long to wait for the lock afterwards in milliseconds; Infinity by default. */
  readonly reacquireMs?: number | undefined;
  /** Cancels the wait, without the lock. */
  readonly signal?: AbortSignal | undefined;
}

interface ConditionCommands {
  await(options: AwaitOptions): Promise<boolean>;
  signal(who: "one" | "all"): Promise<number>;
}

/** A condition of a held lock, as Java's `Condition`. */
export class Condition {
  readonly #commands: ConditionCommands;

  constructor(
    readonly name: string,
    commands: ConditionCommands,
  ) {
    this.#commands = commands;
  }

  /**
   * Gives up the lock with its whole count, waits for a signal, and acquires the lock again with the same count before it
   * returns. The hold then has a new `holdId` and a larger `fence`. Call it in a loop that checks what you wait for: another
   * client may have been faster, and after an interruption of Redis or of this process it can return without a signal.
   *
   * @returns false if `waitMs` passed without a signal; the lock is held in either case
   * @throws QueueFullError, ConditionUnsupportedError, UnavailableError, InvalidError: the hold is unchanged. AbortedError,
   *   WaitTimeoutError (after `reacquireMs`), LostError, UnknownOutcomeError: nothing is held, and the hold is lost
   */
  async await(options: AwaitOptions = {}): Promise<boolean> {
    assertAwaitOptions(options);
    return await this.#commands.await(options);
  }

  /**
   * Wakes the client that has waited longest. It acquires the lock after you have released it.
   *
   * @returns whether a client was waiting
   * @throws LostError, ConditionUnsupportedError, UnavailableError, UnknownOutcomeError
   */
  async signal(): Promise<boolean> {
    return (await this.#commands.signal("one")) > 0;
  }

  /**
   * Wakes all clients that wait. They acquire the lock one after the other.
   *
   * @returns how many clients were waiting
   * @throws LostError, ConditionUnsupportedError, UnavailableError, UnknownOutcomeError
   */
  async signalAll(): Promise<number> {
    return await this.#commands.signal("all");
  }
}

/**
 * Waits for a condition, and changes the lease accordingly.
 *
 * @param onIdentityChange called with the new token before the lease changes
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
