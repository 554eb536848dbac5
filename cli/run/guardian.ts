import { endSession } from "./end-session.ts";
import {
  formatMessage,
  type GuardianMessage,
  type GuardianOrders,
  isSupervisorMessage,
  readMessages,
  type SupervisorMessage,
} from "./guardian-protocol.ts";
import { printMessage } from "./messages.ts";
import { ProcessSession } from "./process-session.ts";
import { addMs, computeMsUntil, getSharedNow, type SharedMoment } from "./shared-moment.ts";

// The guardian process of `lockkeeper run`. It ends the command before the lease ends if the supervisor cannot do so:
// if the supervisor was killed, which ends the pipe, or does not report renewals.

/**
 * Signals that a terminal or a service manager sends to all processes. The guardian ignores them, because the
 * supervisor handles them.
 */
const IGNORED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP", "SIGUSR1", "SIGUSR2"] as const;
/**
 * Maximum time in ms between two checks of the deadline. Timers follow only the monotonic clock, but the deadline also
 * depends on the wall clock.
 */
const CHECK_MS_MAX = 250;
/**
 * Delay of the guardian relative to the supervisor, as a fraction of `killBeforeMs`. Normally, the supervisor acts
 * first, so only one of the two processes signals the command.
 */
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
    // A replacement guardian may receive orders with an old deadline, followed by renewals. Reads all pending messages
    // before it checks the deadline.
    clearImmediate(this.#soon);
    this.#soon = setImmediate(() => this.#check());
  }

  /**
   * Ends the command. Called when the pipe closes without a `done` message, which means that the supervisor has exited.
   */
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

  /**
   * Sends the end signal now, and SIGKILL after `killAfterMs` or shortly before the lease ends, whichever is earlier.
   */
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
  // Begins a new line, because the output of a module that NODE_OPTIONS loads may not end with a line break.
  process.stdout.write(`\n${formatMessage(message)}`);
}

process.title = "lockkeeper guardian";
for (const name of IGNORED_SIGNALS) process.on(name, () => undefined);
// Writing fails if the supervisor has exited.
process.stdout.on("error", () => undefined);
const guardian = new Guardian();
readMessages(process.stdin, isSupervisorMessage, (message) => guardian.handleMessage(message));
const finish = () => void guardian.handleEndOfPipe().then(() => process.exit(0));
process.stdin.once("end", finish).once("error", finish);
send({ type: "ready" });
