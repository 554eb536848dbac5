import { endSession } from "./end-session.ts";
import {
  formatMessage,
  type GuardianMessage,
  type GuardianOrders,
  readMessages,
  type SupervisorMessage,
} from "./guardian-protocol.ts";
import { printMessage } from "./messages.ts";
import { ProcessSession } from "./process-session.ts";
import { addMs, computeMsUntil, getSharedNow, type SharedMoment } from "./shared-moment.ts";

// The guardian process of `lockkeeper run`. It ends the command before the lease ends if the supervisor cannot: because it
// was killed, in which case the pipe to it ends, or because it does not report renewals.

/** Signals that a terminal or a service manager sends to all processes. Only the supervisor decides what to do about them. */
const IGNORED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP", "SIGUSR1", "SIGUSR2"] as const;
/** The maximum time between two checks of the deadline, because timers use only the monotonic clock. */
const CHECK_MS_MAX = 250;
/** How much later than the supervisor the guardian acts, so that only one of them signals the command. */
const DELAY_SHARE = 1 / 3;
const DELAY_MS_MAX = 150;

class Guardian {
  #orders: GuardianOrders | undefined;
  #killBy: SharedMoment | undefined;
  #ending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  handleMessage(message: SupervisorMessage): void {
    if (message.type === "done") process.exit(0);
    if (message.type === "watch") {
      this.#orders = message.orders;
      send({ type: "watching" });
    } else if (message.type === "extend") this.#extend(message.deadline);
    const killBy = message.type === "ending" ? message.killBy : this.#orders?.killBy;
    if (killBy !== undefined) this.#end({ killBy, signal: undefined });
    // A replacement guardian may receive orders that are followed by renewals, so it reads both before the check.
    clearImmediate(this.#soon);
    this.#soon = setImmediate(() => this.#check());
  }

  /** Ends the command, because the supervisor has exited without `done`. */
  async handleEndOfPipe(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#orders === undefined) return;
    const { session, endSignal, key } = this.#orders;
    if (this.#ending === undefined && new ProcessSession(session).hasProcesses()) {
      printMessage(`lockkeeper run was killed. Ending the command that holds ${key} with ${endSignal}.`);
    }
    this.#endNow();
    await this.#ending;
  }

  #extend(deadline: SharedMoment): void {
    if (this.#orders !== undefined) this.#orders = { ...this.#orders, deadline };
  }

  #check(): void {
    clearTimeout(this.#timer);
    if (this.#orders === undefined || this.#ending !== undefined) return;
    const { deadline, margins } = this.#orders;
    const delayMs = Math.min(DELAY_MS_MAX, margins.killBeforeMs * DELAY_SHARE);
    const leftMs = computeMsUntil(deadline) - margins.signalBeforeMs + delayMs;
    if (leftMs > 0) {
      this.#timer = setTimeout(() => this.#check(), Math.min(CHECK_MS_MAX, Math.ceil(leftMs)));
      return;
    }
    send({ type: "ending" });
    this.#endNow();
  }

  /** Sends the signal now, and SIGKILL after the grace time or shortly before the lease ends. */
  #endNow(): void {
    if (this.#orders === undefined) return;
    const { endSignal, killAfterMs, deadline, margins } = this.#orders;
    const before = addMs(deadline, -margins.killBeforeMs);
    const after = addMs(getSharedNow(), killAfterMs);
    const killBy = computeMsUntil(before) < computeMsUntil(after) ? before : after;
    this.#end({ killBy, signal: endSignal });
  }

  #end({ killBy, signal }: { killBy: SharedMoment; signal: NodeJS.Signals | undefined }): void {
    if (this.#orders === undefined) return;
    this.#killBy ??= killBy;
    const session = new ProcessSession(this.#orders.session);
    this.#ending ??= endSession(session, {
      signal,
      killAfterMs: Number.POSITIVE_INFINITY,
      getMsUntilKill: () => computeMsUntil(this.#killBy ?? killBy),
    });
  }
}

function send(message: GuardianMessage): void {
  process.stdout.write(formatMessage(message));
}

process.title = "lockkeeper guardian";
for (const name of IGNORED_SIGNALS) process.on(name, () => undefined);
// The supervisor may have exited.
process.stdout.on("error", () => undefined);
const guardian = new Guardian();
readMessages<SupervisorMessage>(process.stdin, (message) => guardian.handleMessage(message));
const finish = () => void guardian.handleEndOfPipe().then(() => process.exit(0));
process.stdin.once("end", finish).once("error", finish);
send({ type: "ready" });
