import { GuardianProcess } from "./guardian-process.ts";
import type { GuardianOrders } from "./guardian-protocol.ts";
import type { SharedMoment } from "./shared-moment.ts";

export interface GuardianshipEvents {
  /** The guardian ends the command, because the lease was not extended in time. */
  onEnding(): void;
  /** The guardian was killed, and another one watches the command. */
  onReplaced(): void;
  /** The guardian was killed, and another one could not be started. */
  onFailure(error: Error): void;
}

/** Keeps one guardian process running while a lock is held, and replaces it if it is killed. */
export class Guardianship {
  #process: Promise<GuardianProcess>;
  /** Increases with each guardian. The exit of an earlier one has no effect. */
  #generation = 0;
  #orders: GuardianOrders | undefined;
  #events: GuardianshipEvents | undefined;
  #state: "active" | "dismissed" = "active";

  private constructor(private readonly environment: NodeJS.ProcessEnv) {
    this.#process = this.#startOne();
  }

  /** Starts the first guardian. @throws Error if it cannot be started */
  static async start(environment: NodeJS.ProcessEnv): Promise<Guardianship> {
    const guardianship = new Guardianship(environment);
    await guardianship.#process;
    return guardianship;
  }

  /** Gives the guardian its orders. Resolves when it watches. @throws Error if no guardian can be started */
  async watch(orders: GuardianOrders, events: GuardianshipEvents): Promise<void> {
    this.#orders = orders;
    this.#events = events;
    const asked = this.#process;
    const guardian = await asked;
    try {
      await guardian.watch(orders);
    } catch {
      // It was killed just now, or does not respond. Its replacement gets the same orders.
      if (this.#process === asked) this.#replace();
      await this.#process;
    }
  }

  /** Reports a renewal. */
  extend(deadline: SharedMoment): void {
    if (this.#orders === undefined) return;
    this.#orders = { ...this.#orders, deadline };
    void this.#process.then(
      (guardian) => guardian.send({ type: "extend", deadline }),
      () => undefined,
    );
  }

  /** Reports that the supervisor sends the first signal. The guardian then only kills the command, at `killBy`. */
  announceEnding(killBy: SharedMoment): void {
    if (this.#orders === undefined) return;
    this.#orders = { ...this.#orders, killBy };
    void this.#process.then(
      (guardian) => guardian.send({ type: "ending", killBy }),
      () => undefined,
    );
  }

  /** Ends the guardian. Resolves when its process has exited. */
  async dismiss(): Promise<void> {
    this.#state = "dismissed";
    await this.#process.then((guardian) => guardian.dismiss()).catch(() => undefined);
  }

  #startOne(): Promise<GuardianProcess> {
    this.#generation++;
    const generation = this.#generation;
    return GuardianProcess.start(this.environment, {
      onExit: () => {
        if (generation === this.#generation) this.#replace();
      },
      onEnding: () => this.#events?.onEnding(),
    });
  }

  #replace(): void {
    if (this.#state === "dismissed") return;
    this.#process = this.#startAnother();
    this.#process.catch((error: Error) => this.#events?.onFailure(error));
  }

  async #startAnother(): Promise<GuardianProcess> {
    const guardian = await this.#startOne();
    if (this.#orders === undefined) return guardian;
    try {
      // The orders may have changed while it started.
      await guardian.watch(this.#orders);
      this.#events?.onReplaced();
      return guardian;
    } catch (error) {
      this.#generation++;
      throw error;
    }
  }
}
