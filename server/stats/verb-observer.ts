import type { LockStats } from "./lock-stats.ts";
import type { VerbCall, VerbEnd } from "./verb-call.ts";

/** The trace span of a verb call. */
export interface VerbSpan {
  end(end: VerbEnd): void;
}

/** Request headers, from which the trace context is read. */
export interface TraceHeaders {
  header(name: string): string | undefined;
}

interface VerbListeners {
  /** Called with the outcome and the duration in ms when a call ends. */
  readonly onEnd?: ((call: VerbCall, end: VerbEnd, tookMs: number) => void) | undefined;
  readonly startSpan?: ((call: VerbCall, request: TraceHeaders) => VerbSpan) | undefined;
}

/** Observer of verb calls that updates statistics, metrics and traces. */
export class VerbObserver {
  constructor(private readonly listeners: VerbListeners = {}) {}

  startVerb(call: VerbCall, stats: LockStats, request: TraceHeaders): RunningVerb {
    return new RunningVerb(call, stats, this.listeners, this.listeners.startSpan?.(call, request));
  }
}

/** A verb call in progress. The object is small, because there is one for each waiting request. */
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
