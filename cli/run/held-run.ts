import { setImmediate as nextTurn } from "node:timers/promises";
import type { ReleaseRequestListener } from "../../lib/client/release-requests.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { describeEndCause, type EndCause } from "./end-cause.ts";
import { endSession } from "./end-session.ts";
import { type CommandExit, GatedCommand, toExitCode } from "./gated-command.ts";
import type { GuardianSupervisor } from "./guardian-supervisor.ts";
import type { HeldLock } from "./held-lock.ts";
import { computeLeaseMargins, type LeaseMargins } from "./lease-margins.ts";
import { LeaseWatch } from "./lease-watch.ts";
import { describeError, printMessage } from "./messages.ts";
import type { ProcessSession } from "./process-session.ts";
import { releaseHold } from "./release-hold.ts";
import { addMs, computeMsUntil, getSharedNow } from "./shared-moment.ts";
import type { SignalRelay } from "./signal-relay.ts";

export interface HeldRunOptions {
  /** The keys of the locks, formatted for messages. */
  readonly key: string;
  readonly leaseMs: number;
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** The signal that the command receives when the lock is lost or its lease is about to end. */
  readonly endSignal: NodeJS.Signals;
  /** Maximum time between `endSignal` and SIGKILL, in milliseconds. */
  readonly killAfterMs: number;
  /**
   * The signal that the command receives when an operator requests the release of the lock; `undefined` to not receive
   * such requests.
   */
  readonly releaseSignal: NodeJS.Signals | undefined;
}

/**
 * The run of one command while a lock is held. Starts the command, ends it if the lock is lost or about to expire, and
 * releases the lock.
 */
export class HeldRun {
  readonly #margins: LeaseMargins;
  readonly #watch: LeaseWatch;
  readonly #caused: Promise<EndCause>;
  #resolveCause: (cause: EndCause) => void = () => undefined;
  #cause: EndCause | undefined;

  constructor(
    private readonly options: HeldRunOptions,
    private readonly hold: HeldLock,
    private readonly guardian: GuardianSupervisor,
    private readonly signals: SignalRelay,
  ) {
    const { leaseMs, killAfterMs } = options;
    this.#margins = computeLeaseMargins(leaseMs, killAfterMs);
    this.#caused = new Promise((resolve) => {
      this.#resolveCause = resolve;
    });
    this.#watch = new LeaseWatch(hold, leaseMs, this.#margins, {
      onExtended: (deadline) => guardian.extend(deadline),
      onNearEnd: () => this.#setCause({ kind: "not_renewed" }),
    });
    const onLoss = () => this.#setCause({ kind: "lost", reason: describeError(hold.signal.reason) });
    hold.signal.addEventListener("abort", onLoss, { once: true });
    if (hold.signal.aborted) onLoss();
  }

  /**
   * Runs the command and releases the lock. @returns the exit code of `lockkeeper run`
   *
   * @throws CliError if the command cannot be started; AbortError if a signal arrives before the start
   */
  async run(): Promise<number> {
    try {
      const command = await this.#start();
      const exit = await this.#finish(command);
      return await this.#release(exit);
    } catch (error) {
      await this.hold.release().catch(() => undefined);
      throw error;
    } finally {
      this.#watch.stop();
    }
  }

  /** Starts the command as soon as the guardian is watching it. */
  async #start(): Promise<GatedCommand> {
    const command = await this.#spawnGate();
    try {
      await this.#arm(command.session);
      this.signals.interrupted.throwIfAborted();
      if (this.#cause !== undefined || this.#watch.getMsUntilSignal() <= 0) {
        throw new CliError(
          "The lease ended before the command could be started. Use a longer --lease.",
          EXIT_CODES.lost,
        );
      }
    } catch (error) {
      await command.abandon();
      throw error;
    }
    this.signals.forwardTo(command.session);
    command.open();
    this.#receiveReleaseRequests(command.session);
    return command;
  }

  /**
   * Accepts release requests and sends `releaseSignal` to the command. The command is not killed and decides when to
   * exit.
   */
  #receiveReleaseRequests(session: ProcessSession): void {
    const { key, releaseSignal } = this.options;
    if (releaseSignal === undefined) return;
    const listener: ReleaseRequestListener = async ({ requestedBy, reason, accept }) => {
      printMessage(
        `${requestedBy} requests the release of ${key}: ${reason}. Sending ${releaseSignal} to the command.`,
      );
      // A failure to accept is ignored. If the hold is lost, the command is ended anyway. Otherwise, the operator sees
      // the release.
      await accept(`${releaseSignal} was sent to the command`).catch(() => undefined);
      session.signalFirstGroup(releaseSignal);
    };
    try {
      this.hold.onReleaseRequested(listener);
    } catch {
      // The hold was lost, so the abort of `hold.signal` ends the command.
    }
  }

  async #spawnGate(): Promise<GatedCommand> {
    const { command, environment } = this.options;
    const onDropped = (names: readonly string[]) =>
      printMessage(
        `The command starts without these variables, which /bin/sh cannot pass on: ${names.join(" ")}`,
      );
    try {
      return await GatedCommand.spawn({ command, environment, onDropped });
    } catch (error) {
      throw new CliError(`Could not start /bin/sh (${describeError(error)}).`, EXIT_CODES.failure);
    }
  }

  async #arm(session: ProcessSession): Promise<void> {
    const { key, endSignal, killAfterMs } = this.options;
    const { deadline } = this.#watch;
    const orders = { key, session: session.ref, deadline, margins: this.#margins, endSignal, killAfterMs };
    try {
      await this.guardian.watch(orders, {
        onEnding: () => this.#setCause({ kind: "ended_by_guardian" }),
        onReplaced: () => printMessage("The guardian process was killed. Another one was started."),
        onFailure: (error) => this.#setCause({ kind: "unguarded", reason: error.message }),
      });
    } catch (error) {
      throw new CliError(
        `Could not start the guardian process (${describeError(error)}).`,
        EXIT_CODES.failure,
      );
    }
  }

  /**
   * Waits until the command exits, or until there is a cause to end it. Then ends all processes of the command that are
   * still running.
   */
  async #finish({ session, exited }: GatedCommand): Promise<CommandExit> {
    const { endSignal, killAfterMs, key } = this.options;
    await Promise.race([exited, this.#caused]);
    // A loss may be reported at the same time as the exit. Waits two turns of the event loop, so that the loss is
    // noticed.
    await nextTurn();
    await nextTurn();
    const cause = this.#cause;
    if (cause !== undefined) {
      const killInMs = Math.min(killAfterMs, this.#watch.getMsUntilKill());
      this.guardian.announceEnding(addMs(getSharedNow(), killInMs));
      const action = session.hasProcesses() ? ` Ending the command with ${endSignal}.` : "";
      printMessage(`${describeEndCause(cause, key)}${action}`);
    }
    await endSession(session, {
      signal: cause?.kind === "ended_by_guardian" ? undefined : endSignal,
      killAfterMs,
      getMsUntilKill: () => this.#watch.getMsUntilKill(),
      onStuck: () =>
        printMessage("Processes of the command still run after SIGKILL. Waiting for them to exit."),
    });
    return await exited;
  }

  /** Releases the lock after all processes of the command have exited. @returns the exit code of `lockkeeper run` */
  async #release(exit: CommandExit): Promise<number> {
    const { key } = this.options;
    // Ignores later causes. The lease may end during the release, and a release that finds no hold reports a loss.
    const cause = this.#cause;
    this.#watch.stop();
    if (cause?.kind === "lost") return EXIT_CODES.lost;
    const { deadline } = this.#watch;
    const remainingMs = computeMsUntil(deadline);
    const outcome = await releaseHold(this.hold, key, remainingMs);
    if (cause?.kind === "unguarded") return EXIT_CODES.failure;
    if (cause !== undefined) return EXIT_CODES.lost;
    // If the lease ended during the release, `not_held` does not show that the hold ended before the command did.
    const hasLeaseEnded = remainingMs > 0 && computeMsUntil(deadline) <= 0;
    const hasHoldEnded = outcome === "not_held" && !hasLeaseEnded;
    // After a suspension of the machine, the end of the lease may be noticed only here. Without the outcome of the
    // release, it is unknown whether the lock was still held.
    const mayHaveEnded = outcome === "unknown" && remainingMs <= 0;
    if (!hasHoldEnded && !mayHaveEnded) return toExitCode(exit);
    printMessage(
      `The ${hasHoldEnded ? "hold" : "lease"} of ${key} ended before the command did. Another client may have held the lock meanwhile.`,
    );
    return EXIT_CODES.lost;
  }

  #setCause(cause: EndCause): void {
    this.#cause ??= cause;
    this.#resolveCause(cause);
  }
}
