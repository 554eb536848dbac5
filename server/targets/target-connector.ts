import type { Logger } from "pino";
import type { Topology } from "../../lib/contract/target.ts";
import { StartupError } from "../errors/startup-error.ts";
import { formatLocation, getTopology } from "./probe-target.ts";
import type { LocatedTargetSettings, Target } from "./target.ts";

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 5000;

/**
 * Connector that repeats the attempt to open a target until the target is reachable. Afterwards, the target stays open
 * even while its Redis is unreachable.
 */
export class TargetConnector {
  /** Time at which the connector was created, shortly before the first attempt, in Unix milliseconds. */
  readonly triedSince = Date.now();
  #target: Target | undefined;
  #reason = "No connection has succeeded yet.";
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #tries = 0;
  readonly #listeners = new Set<(target: Target) => void>();

  constructor(
    readonly settings: LocatedTargetSettings,
    private readonly openTarget: (settings: LocatedTargetSettings) => Promise<Target>,
    private readonly log: Logger,
  ) {}

  get address(): string {
    return formatLocation(this.settings.where);
  }

  get topology(): Topology {
    return getTopology(this.settings.where);
  }

  get name(): string {
    return this.settings.name;
  }

  /** The open target, or `undefined` until the target is first reached. Until then, `reason` explains why. */
  get target(): Target | undefined {
    return this.#target;
  }

  /** Why the target is not open, as a sentence without secrets. */
  get reason(): string {
    return this.#reason;
  }

  /** Tries to open the target. Resolves after the first attempt. Further attempts run in the background. */
  async start(): Promise<void> {
    try {
      await this.connectOnce();
    } catch (error) {
      if (!(error instanceof StartupError))
        this.log.error({ err: error, target: this.name }, "target could not be opened");
      else if (this.#tries === 0)
        this.log.warn({ target: this.name, reason: this.#reason }, "target is down");
      const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** this.#tries++);
      if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), pauseMs);
    }
  }

  /**
   * Makes one attempt to open the target.
   *
   * @throws StartupError if the target cannot be reached or does not support locks
   */
  async connectOnce(): Promise<Target> {
    try {
      const target = await this.openTarget(this.settings);
      this.#target = target;
      // `stop` was called during this attempt and could not close the target.
      if (this.#isStopped) void target.close();
      for (const listener of this.#listeners) listener(target);
      return target;
    } catch (error) {
      this.#reason =
        error instanceof StartupError
          ? error.message
          : "The target could not be opened. The server's log has the cause.";
      throw error;
    }
  }

  /** Calls the listener when the target is first reached. Returns a function that removes the listener. */
  onOpen(listener: (target: Target) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#target?.close();
  }
}
