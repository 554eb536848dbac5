const RECONCILE_EVERY_MS = 5000;
const SCAN_ONLY_EVERY_MS = 1000;
/** Share of the time that scanning may take. */
const SCAN_SHARE = 0.05;

interface Surroundings {
  /** Walks the keyspace once, and reads what it finds. */
  walk(signal: AbortSignal): Promise<void>;
  isUp(): boolean;
  /** Whether Redis tells of changes, so that a pass only finds what it did not tell. */
  seesChanges(): boolean;
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
  /** Rises with every break. */
  #generation = 0;
  #passing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();

  constructor(private readonly around: Surroundings) {}

  /** What was in touch is not any more, or only now again. */
  broken(): void {
    this.#generation++;
    this.isCaughtUp = false;
  }

  async run(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#passing !== undefined) await this.#passing;
    if (!this.around.isUp() || this.#stopping.signal.aborted) return;
    this.#passing = this.#pass().catch(() => undefined);
    await this.#passing;
    this.#passing = undefined;
    this.schedule();
  }

  schedule(): void {
    if (this.#passing !== undefined || this.#stopping.signal.aborted || !this.around.isUp()) return;
    const everyMs = this.around.seesChanges() ? RECONCILE_EVERY_MS : SCAN_ONLY_EVERY_MS;
    const waitMs = Math.max(everyMs, (this.last?.tookMs ?? 0) / SCAN_SHARE);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.run(), waitMs);
    this.#timer.unref();
  }

  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#timer);
  }

  async #pass(): Promise<void> {
    const startedAt = performance.now();
    const generation = this.#generation;
    await this.around.walk(this.#stopping.signal);
    // A break since the beginning: this pass may have missed what the next one will find.
    if (!this.around.isUp() || generation !== this.#generation) return;
    this.last = { at: this.around.now(), tookMs: Math.round(performance.now() - startedAt) };
    this.isFirst = false;
    this.isCaughtUp = true;
    this.around.caughtUp();
  }
}
