import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { toPrintable } from "../output/printable.ts";
import { createCommandEnvironment, createGuardianEnvironment } from "./command-environment.ts";
import { describeHolder } from "./describe-holder.ts";
import { GuardianSupervisor } from "./guardian-supervisor.ts";
import { type HeldLock, LockHeldError, type LockRequest, type LockSource } from "./held-lock.ts";
import { HeldRun, type HeldRunOptions } from "./held-run.ts";
import { describeError, printMessage } from "./messages.ts";
import { SignalRelay } from "./signal-relay.ts";
import { isUnavailable, openWithinWait } from "./wait-for-lock.ts";

export interface RunOptions
  extends Omit<HeldRunOptions, "environment" | "key">,
    Omit<LockRequest, "signal" | "leaseMs"> {
  /** The environment of this process. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly apiKey: "pass" | "remove";
  /** `quiet` suppresses the message that the run is waiting for a held lock. */
  readonly verbosity: "normal" | "quiet";
}

/**
 * Time in ms for which the process stays connected after a signal, so that its waiter can leave the queue. If the
 * waiter remains in the queue, the next attempt of another client removes it.
 */
const LEAVE_QUEUE_MS = 300;

/**
 * Acquires the locks, runs the command and releases the locks.
 *
 * @param openLocks connects to the server or to Redis. Called again during the wait if they are unavailable
 * @returns the exit code of the command, one of `EXIT_CODES`, or 128 plus the number of a signal
 * @throws CliError if the locks cannot be acquired or the command cannot be started
 */
export async function runUnderLock(
  options: RunOptions,
  openLocks: () => Promise<LockSource>,
): Promise<number> {
  const signals = new SignalRelay();
  let guardian: GuardianSupervisor | undefined;
  let locks: LockSource | undefined;
  try {
    guardian = await startGuardian(options);
    const deadline = performance.now() + options.waitMs;
    locks = await openWithinWait({ waitMs: options.waitMs, signal: signals.interrupted }, openLocks);
    const waitMs = Math.max(0, deadline - performance.now());
    const hold = await acquireLock({ ...options, waitMs }, locks, signals.interrupted);
    const environment = createCommandEnvironment(options.variables, { ...options, holds: hold.holds });
    const key = options.keys.join(", ");
    return await new HeldRun({ ...options, key, environment }, hold, guardian, signals).run();
  } catch (error) {
    // If a signal arrived, the error is only a consequence of the interruption.
    if (signals.exitCode !== undefined) return signals.exitCode;
    throw error;
  } finally {
    await guardian?.dismiss();
    // The waiter of a canceled wait leaves the queue in the background. Closing the connection now would prevent this.
    if (signals.exitCode !== undefined && locks !== undefined) await sleep(LEAVE_QUEUE_MS);
    locks?.close();
    signals.stop();
  }
}

/**
 * Starts the guardian. Called before the lock is acquired, because the startup would otherwise use up part of the
 * lease.
 */
async function startGuardian({ variables }: RunOptions): Promise<GuardianSupervisor> {
  try {
    return await GuardianSupervisor.start(createGuardianEnvironment(variables));
  } catch (error) {
    throw new CliError(`Could not start the guardian process (${describeError(error)}).`, EXIT_CODES.failure);
  }
}

async function acquireLock(options: RunOptions, locks: LockSource, signal: AbortSignal): Promise<HeldLock> {
  const { keys, leaseMs, waitMs, owner, record, format, kind, permits, limit, verbosity } = options;
  const { holding, onDeadlock } = options;
  const lock = { keys, leaseMs, owner, record, format, kind, permits, limit };
  const request = { ...lock, waitMs, holding, onDeadlock, signal };
  try {
    return await locks.acquire({ ...request, waitMs: 0 });
  } catch (error) {
    if (waitMs === 0 || !isTemporary(error))
      throw error instanceof LockHeldError ? createHeldError(error) : error;
    if (error instanceof LockHeldError && verbosity === "normal")
      printMessage(`${describeHolder(error.key, error.holder)}. Waiting.`);
  }
  try {
    return await locks.acquire(request);
  } catch (error) {
    throw error instanceof LockHeldError ? createHeldError(error) : error;
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof LockHeldError || isUnavailable(error);
}

function createHeldError({ key, holder }: LockHeldError): CliError {
  return new CliError(`${toPrintable(describeHolder(key, holder))}.`, EXIT_CODES.held);
}
