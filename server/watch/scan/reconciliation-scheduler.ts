import { TimeBudget } from "./time-budget.ts";

/** Share of the time that scans may take once the index is complete. */
const SCAN_SHARE = 0.05;
/**
 * Maximum time, in ms, that the budget saves. Work within the saved time runs without a pause, so a small keyspace is
 * scanned without interruption.
 */
const SAVED_MS_MAX = 250;
const RETRY_MS = 500;

interface ReconciliationDeps {
  /**
   * Scans the keyspace once and reads the keys that the scan finds. Without a budget, scans as fast as Redis permits.
   */
  scanKeyspace(signal: AbortSignal, budget: TimeBudget | undefined): Promise<void>;
  isUp(): boolean;
  /** Returns the time between the end of a scan and the start of the next, in ms. */
  getIntervalMs(): number;
  /** Returns the current time on the Redis clock. */
  now(): number;
  /** Called when the index has become complete. */
  onCaughtUp(): void;
}

/** Schedules scans of the keyspace, one at a time, and tracks whether the index is complete. */
export class ReconciliationScheduler {
  isCaughtUp = false;
  /** True until the first scan has completed. The start of each hold that the first scan finds is unknown. */
  isInitialScan = true;
  lastPass: { readonly at: number; readonly tookMs: number } | undefined;
  #startedAt: number | undefined;
  /** Number of gaps in the observation. */
  #generation = 0;
  #currentPass: Promise<void> | undefined;
  #abortController = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  readonly #budget = new TimeBudget(SCAN_SHARE, SAVED_MS_MAX);
  #isStopped = false;

  constructor(private readonly deps: ReconciliationDeps) {}

  /** Duration of the current scan so far, in ms. `undefined` if no scan is in progress. */
  get runningMs(): number | undefined {
    return this.#startedAt === undefined ? undefined : Math.round(performance.now() - this.#startedAt);
  }

  /** Marks the index as incomplete, because changes may have been missed. Aborts any scan in progress. */
  invalidate(): void {
    this.#generation++;
    this.isCaughtUp = false;
    this.#abortController.abort();
  }

  /**
   * Aborts any scan in progress and runs a scan without pauses. Resolves when the scan has ended, or without a scan if
   * the master does not respond.
   */
  async runNow(): Promise<void> {
    this.#abortController.abort();
    await this.#runPass(undefined);
  }

  scheduleNext(): void {
    if (this.#currentPass !== undefined || this.#isStopped || !this.deps.isUp()) return;
    clearTimeout(this.#timer);
    const [budget, waitMs] = this.isCaughtUp
      ? [this.#budget, this.deps.getIntervalMs()]
      : [undefined, RETRY_MS];
    this.#timer = setTimeout(() => void this.#runPass(budget), waitMs);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    this.#abortController.abort();
    clearTimeout(this.#timer);
  }

  async #runPass(budget: TimeBudget | undefined): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#currentPass !== undefined) await this.#currentPass;
    if (!this.deps.isUp() || this.#isStopped) return;
    this.#currentPass = this.#executePass(budget).catch(() => undefined);
    await this.#currentPass;
    this.#currentPass = undefined;
    this.#startedAt = undefined;
    this.scheduleNext();
  }

  async #executePass(budget: TimeBudget | undefined): Promise<void> {
    const startedAt = performance.now();
    const generation = this.#generation;
    this.#startedAt = startedAt;
    this.#abortController = new AbortController();
    await this.deps.scanKeyspace(this.#abortController.signal, budget);
    // If the observation was interrupted during the scan, the scan may have missed changes. The next scan finds them.
    if (!this.deps.isUp() || generation !== this.#generation) return;
    this.lastPass = { at: this.deps.now(), tookMs: Math.round(performance.now() - startedAt) };
    this.isInitialScan = false;
    this.isCaughtUp = true;
    this.deps.onCaughtUp();
  }
}
