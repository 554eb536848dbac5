import type { Logger } from "pino";
import type { Topology } from "../../lib/contract/target.ts";
import { StartupError } from "../errors/startup-error.ts";
import { formatLocation, getTopology } from "./probe-target.ts";
import type { LocatedTargetSettings, Target } from "./target.ts";

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 5000;

/** Opens a target, and tries again until it is there. Once open it stays open, also while its Redis is away. */
export class TargetConnector {
  /** Since when it is tried, Unix milliseconds. */
  readonly triedSince = Date.now();
  #target: Target | undefined;
  #reason = "It has not been reached yet.";
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

  /** undefined while it has not been reached yet; `reason` says why. */
  get target(): Target | undefined {
    return this.#target;
  }

  /** Why it is not open, for people; holds no secret. */
  get reason(): string {
    return this.#reason;
  }

  /** Resolves after the first try; the next ones follow by themselves. */
  async start(): Promise<void> {
    try {
      await this.connectOnce();
    } catch (error) {
      if (!(error instanceof StartupError)) this.log.error({ err: error, target: this.name }, "not opened");
      else if (this.#tries === 0)
        this.log.warn({ target: this.name, reason: this.#reason }, "target is down");
      const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** this.#tries++);
      if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), pauseMs);
    }
  }

  /** @throws StartupError when it cannot be reached */
  async connectOnce(): Promise<Target> {
    try {
      const target = await this.openTarget(this.settings);
      this.#target = target;
      // Whoever stops does not wait for a Redis that hangs.
      if (this.#isStopped) void target.close();
      for (const listener of this.#listeners) listener(target);
      return target;
    } catch (error) {
      this.#reason = error instanceof StartupError ? error.message : "It could not be opened; see the log.";
      throw error;
    }
  }

  /** Called when it has been reached. */
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
