import { GuardianProcess } from "./guardian-process.ts";
import type { GuardianOrders } from "./guardian-protocol.ts";
import type { SharedMoment } from "./shared-moment.ts";

export interface GuardianshipEvents {
  /** Called when the guardian starts to end the command because the lease was not extended in time. */
  onEnding(): void;
  /** Called when a replacement for the guardian starts to watch the command. */
  onReplaced(): void;
  /** Called when the guardian must be replaced but no replacement can be started. */
  onFailure(error: Error): void;
}

/**
 * Maximum number of attempts to replace a guardian. An attempt can fail because the guardian is killed or the system's
 * process limit is reached.
 */
const START_TRIES = 3;

/** Keeps one guardian process running until `dismiss` is called. Replaces a guardian that exits or does not respond. */
export class GuardianSupervisor {
  #process: GuardianProcess;
  /**
   * Resolves when the current guardian is ready. For a replacement that receives `#orders`, resolves when it watches
   * the command. Rejects if no guardian could be started.
   */
  #started: Promise<void>;
  #orders: GuardianOrders | undefined;
  #events: GuardianshipEvents | undefined;
  #state: "active" | "dismissed" = "active";

  private constructor(private readonly environment: NodeJS.ProcessEnv) {
    this.#process = this.#spawn();
    this.#started = this.#process.waitFor("ready");
  }

  /** Starts the first guardian. @throws Error if the guardian cannot be started */
  static async start(environment: NodeJS.ProcessEnv): Promise<GuardianSupervisor> {
    const supervisor = new GuardianSupervisor(environment);
    try {
      await supervisor.#started;
    } catch (error) {
      await supervisor.dismiss();
      throw error;
    }
    return supervisor;
  }

  /**
   * Makes the guardian watch the command. Resolves when the guardian has confirmed that it watches the command.
   *
   * @throws Error if no guardian can be started
   */
  async watch(orders: GuardianOrders, events: GuardianshipEvents): Promise<void> {
    this.#orders = orders;
    this.#events = events;
    const asked = this.#process;
    asked.send({ type: "watch", orders });
    try {
      await this.#started;
      await asked.waitFor("watching");
    } catch {
      // The guardian was killed or does not respond. Its replacement receives the same orders.
      if (this.#process === asked) this.#replace();
      await this.#started;
    }
  }

  /** Sends the new deadline to the guardian after the lease was renewed. */
  extend(deadline: SharedMoment): void {
    if (this.#orders === undefined) return;
    this.#orders = { ...this.#orders, deadline };
    this.#process.send({ type: "extend", deadline });
  }

  /**
   * Notifies the guardian that the supervisor sends the end signal. The guardian then sends only SIGKILL, at `killBy`.
   */
  announceEnding(killBy: SharedMoment): void {
    if (this.#orders === undefined) return;
    this.#orders = { ...this.#orders, killBy };
    this.#process.send({ type: "ending", killBy });
  }

  /** Ends the guardian. Resolves when its process has exited. */
  async dismiss(): Promise<void> {
    this.#state = "dismissed";
    await this.#process.dismiss();
  }

  #spawn(): GuardianProcess {
    const guardian: GuardianProcess = new GuardianProcess(this.environment, {
      onExit: () => {
        if (this.#process === guardian) this.#replace();
      },
      onEnding: () => this.#events?.onEnding(),
    });
    return guardian;
  }

  #replace(): void {
    if (this.#state === "dismissed") return;
    this.#started = this.#startAnother();
    this.#started.catch((error: Error) => this.#events?.onFailure(error));
  }

  async #startAnother(): Promise<void> {
    for (let left = START_TRIES; ; left--) {
      try {
        this.#process.discard();
        const guardian = this.#spawn();
        this.#process = guardian;
        // Sends the orders before the guardian is ready, so that the guardian receives them even if this process is
        // killed while the guardian starts.
        if (this.#orders !== undefined) guardian.send({ type: "watch", orders: this.#orders });
        await guardian.waitFor("ready");
        if (this.#orders === undefined) return;
        await guardian.waitFor("watching");
        this.#events?.onReplaced();
        return;
      } catch (error) {
        this.#process.discard();
        if (left <= 1 || this.#state === "dismissed") throw error;
      }
    }
  }
}
