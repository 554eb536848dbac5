import { startCpuTimer } from "../../concurrency/cpu-timer.ts";
import { SYSTEM_OWNER, type TaskOwner } from "../../concurrency/task-owner.ts";
import { RateLimitedError } from "../../errors/request-errors.ts";

/** A limit on CPU time: the average per second and the maximum burst, in ms. */
export interface CpuRate {
  readonly msPerSecond: number;
  readonly burstMs: number;
}

/** Maximum number of tracked callers. Beyond it, the callers that were charged longest ago are evicted. */
const CALLERS_MAX = 10_000;
/** Maximum time in ms that a caller must wait after one expensive request before the next request is served. */
const WAIT_MAX_MS = 30_000;

/** The CPU time that one caller has left for expensive reads. */
export interface CpuBudget extends TaskOwner {
  /** Asserts that the caller has CPU time left. @throws LockkeeperError rate_limited */
  assertAvailable(): void;
  /** Runs synchronous work and charges the caller for its CPU time. */
  run<Result>(work: () => Result): Result;
}

export const UNLIMITED_CPU: CpuBudget = {
  ...SYSTEM_OWNER,
  assertAvailable: () => undefined,
  run: (work) => work(),
};

/**
 * Limits the CPU time that each caller uses for expensive reads. Time is charged after it is used, so the request
 * that exceeds the budget is served and the next request is refused. Each Lockkeeper instance has separate budgets.
 */
export class CpuBudgets {
  /** For each caller, the time at which its budget will be full again, as a value of `performance.now()` in ms. */
  readonly #fullAt = new Map<string, number>();

  /** @param rate `undefined` for no limit */
  constructor(private readonly rate: CpuRate | undefined) {}

  getBudget(caller: string): CpuBudget {
    const charge = (ms: number) => this.#charge(caller, ms);
    return {
      id: caller,
      charge,
      assertAvailable: () => this.#assertAvailable(caller),
      run: (work) => {
        const readCpuMs = startCpuTimer();
        try {
          return work();
        } finally {
          charge(readCpuMs());
        }
      },
    };
  }

  #charge(caller: string, ms: number): void {
    if (this.rate === undefined) return;
    const now = performance.now();
    const fullAt = Math.max(now, this.#fullAt.get(caller) ?? 0) + (ms * 1000) / this.rate.msPerSecond;
    this.#fullAt.delete(caller);
    this.#fullAt.set(caller, Math.min(fullAt, now + this.#burstDurationMs + WAIT_MAX_MS));
    if (this.#fullAt.size > CALLERS_MAX) this.#evict(now);
  }

  #assertAvailable(caller: string): void {
    const remainingMs = (this.#fullAt.get(caller) ?? 0) - performance.now() - this.#burstDurationMs;
    if (this.rate === undefined || remainingMs <= 0) return;
    const { msPerSecond, burstMs } = this.rate;
    throw new RateLimitedError(
      `Each caller is limited to ${msPerSecond} ms of CPU time per second for filters, facets, history and exports, with bursts of ${burstMs} ms. Retry later, or use fewer different filters.`,
      { remainingMs: Math.ceil(remainingMs) },
    );
  }

  get #burstDurationMs(): number {
    return this.rate === undefined ? 0 : (this.rate.burstMs * 1000) / this.rate.msPerSecond;
  }

  #evict(now: number): void {
    for (const [caller, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(caller);
    // The map is in order of the last charge, oldest first.
    for (const caller of this.#fullAt.keys()) {
      if (this.#fullAt.size <= CALLERS_MAX) return;
      this.#fullAt.delete(caller);
    }
  }
}
