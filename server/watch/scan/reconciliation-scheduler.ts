import { Pace } from "./time-budget.ts";

/** Share of the time that scanning may take once the picture is whole. */
const SCAN_SHARE = 0.05;
/** What was saved up by then is spent at once: a small keyspace is gone through without pauses. */
const SAVED_MS_MAX = 250;
const FAILED_AGAIN_MS = 500;

interface Surroundings {
  /** Walks the keyspace once, and reads what it finds. Without a pace as fast as Redis bears it. */
  walk(signal: AbortSignal, pace: Pace | undefined): Promise<void>;
  isUp(): boolean;
  /** How long after a pass the next one begins. */
  everyMs(): number;
  /** Redis's clock. */
  now(): number;
  /** The picture is whole from now on. */
  caughtUp(): void;
}

/** Passes over the keyspace, one at a time, again and again; and whether the last one left the picture whole. */
export class Passes {
  isCaughtUp = false;
  /** Until the first pass is over, what is found says nothing of when it began. */
  isFirst = true;
  last: { readonly at: number; readonly tookMs: number } | undefined;
  #startedAt: number | undefined;
  /** Rises with every break. */
  #generation = 0;
  #passing: Promise<void> | undefined;
  #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  readonly #pace = new Pace(SCAN_SHARE, SAVED_MS_MAX);
  #isStopped = false;

  constructor(private readonly around: Surroundings) {}

  /** For how long the present pass has been going on. */
  get runningMs(): number | undefined {
    return this.#startedAt === undefined ? undefined : Math.round(performance.now() - this.#startedAt);
  }

  /** What was in touch is not any more, or only now again. A pass that is under way ends. */
  broken(): void {
    this.#generation++;
    this.isCaughtUp = false;
    this.#ending.abort();
  }

  /** Makes a pass at once and without pauses, as soon as one that is under way has ended. */
  async run(): Promise<void> {
    this.#ending.abort();
    await this.#runWith(undefined);
  }

  schedule(): void {
    if (this.#passing !== undefined || this.#isStopped || !this.around.isUp()) return;
    clearTimeout(this.#timer);
    const [pace, waitMs] = this.isCaughtUp
      ? [this.#pace, this.around.everyMs()]
      : [undefined, FAILED_AGAIN_MS];
    this.#timer = setTimeout(() => void this.#runWith(pace), waitMs);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    this.#ending.abort();
    clearTimeout(this.#timer);
  }

  async #runWith(pace: Pace | undefined): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#passing !== undefined) await this.#passing;
    if (!this.around.isUp() || this.#isStopped) return;
    this.#passing = this.#pass(pace).catch(() => undefined);
    await this.#passing;
    this.#passing = undefined;
    this.#startedAt = undefined;
    this.schedule();
  }

  async #pass(pace: Pace | undefined): Promise<void> {
    const startedAt = performance.now();
    const generation = this.#generation;
    this.#startedAt = startedAt;
    this.#ending = new AbortController();
    await this.around.walk(this.#ending.signal, pace);
    // A break since the beginning: this pass may have missed what the next one will find.
    if (!this.around.isUp() || generation !== this.#generation) return;
    this.last = { at: this.around.now(), tookMs: Math.round(performance.now() - startedAt) };
    this.isFirst = false;
    this.isCaughtUp = true;
    this.around.caughtUp();
  }
}
