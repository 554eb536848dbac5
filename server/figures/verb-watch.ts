import type { Figures } from "./figures.ts";
import type { VerbAsked, VerbCall, VerbEnd } from "./verb-call.ts";

/** A span of a call, in somebody's trace. */
export interface VerbSpan {
  end(end: VerbEnd): void;
}

interface Listeners {
  /** Counts and times. */
  readonly count?: ((call: VerbCall, end: VerbEnd, tookMs: number) => void) | undefined;
  readonly trace?: ((call: VerbCall, header: (name: string) => string | undefined) => VerbSpan) | undefined;
}

interface OfTarget {
  readonly name: string;
  readonly figures: Figures;
}

/** What of our verbs is told to figures, metrics and traces. */
export class VerbWatch {
  constructor(private readonly listeners: Listeners = {}) {}

  begin(asked: VerbAsked, target: OfTarget, header: (name: string) => string | undefined): RunningVerb {
    const call: VerbCall = { ...asked, target: target.name };
    const { count, trace } = this.listeners;
    return new RunningVerb(call, target.figures, count, trace?.(call, header));
  }
}

/** One call, until it is answered. It is kept while a request waits, so it is small. */
export class RunningVerb {
  readonly #startedAt = performance.now();

  constructor(
    private readonly call: VerbCall,
    private readonly figures: Figures,
    private readonly count: Listeners["count"],
    private readonly span: VerbSpan | undefined,
  ) {}

  end(end: VerbEnd): void {
    this.figures.verb(this.call, end.outcome);
    this.count?.(this.call, end, performance.now() - this.#startedAt);
    this.span?.end(end);
  }
}
