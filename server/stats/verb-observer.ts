import type { Figures } from "./lock-stats.ts";
import type { VerbCall, VerbEnd } from "./verb-call.ts";

/** A span of a call, in somebody's trace. */
export interface VerbSpan {
  end(end: VerbEnd): void;
}

/** As much of a request as tells whose trace it belongs to. */
export interface Headers {
  header(name: string): string | undefined;
}

interface Listeners {
  /** Counts and times. */
  readonly count?: ((call: VerbCall, end: VerbEnd, tookMs: number) => void) | undefined;
  readonly trace?: ((call: VerbCall, request: Headers) => VerbSpan) | undefined;
}

/** What of our verbs is told to figures, metrics and traces. */
export class VerbWatch {
  constructor(private readonly listeners: Listeners = {}) {}

  begin(call: VerbCall, figures: Figures, request: Headers): RunningVerb {
    return new RunningVerb(call, figures, this.listeners, this.listeners.trace?.(call, request));
  }
}

/** One call, until it is answered. It is made for each request and kept while one waits: it is small and plain. */
export class RunningVerb {
  private readonly startedAt = performance.now();

  constructor(
    private readonly call: VerbCall,
    private readonly figures: Figures,
    private readonly listeners: Listeners,
    private readonly span: VerbSpan | undefined,
  ) {}

  end(end: VerbEnd): void {
    this.figures.verb(this.call, end.outcome);
    this.listeners.count?.(this.call, end, performance.now() - this.startedAt);
    this.span?.end(end);
  }
}
