import type { LockStats } from "./lock-stats.ts";
import type { VerbCall, VerbEnd } from "./verb-call.ts";

/** A span of a call, in somebody's trace. */
export interface VerbSpan {
  end(end: VerbEnd): void;
}

/** As much of a request as tells whose trace it belongs to. */
export interface TraceHeaders {
  header(name: string): string | undefined;
}

interface VerbListeners {
  /** Counts and times. */
  readonly onEnd?: ((call: VerbCall, end: VerbEnd, tookMs: number) => void) | undefined;
  readonly startSpan?: ((call: VerbCall, request: TraceHeaders) => VerbSpan) | undefined;
}

/** What of our verbs is told to figures, metrics and traces. */
export class VerbObserver {
  constructor(private readonly listeners: VerbListeners = {}) {}

  startVerb(call: VerbCall, stats: LockStats, request: TraceHeaders): RunningVerb {
    return new RunningVerb(call, stats, this.listeners, this.listeners.startSpan?.(call, request));
  }
}

/** One call, until it is answered. It is made for each request and kept while one waits: it is small and plain. */
export class RunningVerb {
  private readonly startedAt = performance.now();

  constructor(
    private readonly call: VerbCall,
    private readonly stats: LockStats,
    private readonly listeners: VerbListeners,
    private readonly span: VerbSpan | undefined,
  ) {}

  end(end: VerbEnd): void {
    this.stats.onVerbCall(this.call, end.outcome);
    this.listeners.onEnd?.(this.call, end, performance.now() - this.startedAt);
    this.span?.end(end);
  }
}
