import { Counter, Histogram, type Registry } from "prom-client";
import type { VerbCall, VerbEnd } from "./verb-call.ts";

const VERB_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const WAIT_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts and times of the verbs. The labels are words of ours, so their number is bounded. */
export class VerbMetrics {
  readonly #calls: Counter;
  readonly #seconds: Histogram;
  readonly #waits: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#calls = new Counter({
      name: "lockkeeper_verb_calls_total",
      help: "Calls of a verb through the API by how they ended: granted, released, not_held ... or the code of an error.",
      labelNames: ["target", "verb", "outcome"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "lockkeeper_verb_duration_seconds",
      help: "Time from a checked request to its answer, without acquires that may wait (waitMs > 0).",
      labelNames: ["target", "verb"],
      buckets: VERB_SECONDS,
      registers,
    });
    this.#waits = new Histogram({
      name: "lockkeeper_wait_duration_seconds",
      help: "Acquires that may wait (waitMs > 0): how long they waited until granted, timeout, aborted or another outcome.",
      labelNames: ["target", "outcome"],
      buckets: WAIT_SECONDS,
      registers,
    });
  }

  /** Some half a microsecond. */
  ended({ target, verb, waits }: VerbCall, { outcome, waitedMs }: VerbEnd, tookMs: number): void {
    this.#calls.inc({ target, verb, outcome });
    if (waits) this.#waits.observe({ target, outcome }, (waitedMs ?? tookMs) / 1000);
    else this.#seconds.observe({ target, verb }, tookMs / 1000);
  }
}
