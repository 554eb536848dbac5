import { TimeBudget } from "./time-budget.ts";

/** Share of the time that scanning may take once the picture is whole. */
const SCAN_SHARE = 0.05;
/** What was saved up by then is spent at once: a small keyspace is gone through without pauses. */
const SAVED_MS_MAX = 250;
const RETRY_MS = 500;

interface ReconciliationDeps {
  /** Walks the keyspace once, and reads what it finds. Without a pace as fast as Redis bears it. */
  scanKeyspace(signal: AbortSignal, budget: TimeBudget | undefined): Promise<void>;
  isUp(): boolean;
  /** How long after a pass the next one begins. */
  getIntervalMs(): number;
  /** Redis's clock. */
  now(): number;
  /** The picture is whole from now on. */
  onCaughtUp(): void;
}

/** Passes over the keyspace, one at a time, again and again; and whether the last one left the picture whole. */
export class ReconciliationScheduler {
  isCaughtUp = false;
  /** Until the first pass is over, what is found says nothing of when it began. */
  isInitialScan = true;
  lastPass: { readonly at: number; readonly tookMs: number } | undefined;
  #startedAt: number | undefined;
  /** Rises with every break. */
  #generation = 0;
  #currentPass: Promise<void> | undefined;
  #abortController = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  readonly #budget = new TimeBudget(SCAN_SHARE, SAVED_MS_MAX);
  #isStopped = false;

  constructor(private readonly deps: ReconciliationDeps) {}

  /** For how long the present pass has been going on. */
  get runningMs(): number | undefined {
    return this.#startedAt === undefined ? undefined : Math.round(performance.now() - this.#startedAt);
  }

  /** What was in touch is not any more, or only now again. A pass that is under way ends. */
  invalidate(): void {
    this.#generation++;
    this.isCaughtUp = false;
    this.#abortController.abort();
  }

  /** Makes a pass at once and without pauses, as soon as one that is under way has ended. */
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
    // A break since the beginning: this pass may have missed what the next one will find.
    if (!this.deps.isUp() || generation !== this.#generation) return;
    this.lastPass = { at: this.deps.now(), tookMs: Math.round(performance.now() - startedAt) };
    this.isInitialScan = false;
    this.isCaughtUp = true;
    this.deps.onCaughtUp();
  }
}
