import { Counter, Histogram, type Registry } from "prom-client";
import type { VerbCall, VerbEnd } from "./verb-call.ts";

const VERB_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const WAIT_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Metrics of the number and the duration of verb calls. Labels have fixed sets of values, so the number of series is
 * bounded.
 */
export class VerbMetrics {
  /** Number of calls by target, verb and outcome. */
  readonly #calls = new Map<string, Map<string, Map<string, number>>>();
  readonly #seconds: Histogram;
  readonly #waits: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    const counted = () => this.#listCounts();
    new Counter({
      name: "lockkeeper_verb_calls_total",
      help: "Verb calls through the API by outcome (granted, released, not_held, ...) or error code.",
      labelNames: ["target", "verb", "outcome"],
      registers,
      collect() {
        this.reset();
        for (const [target, verb, outcome, count] of counted()) this.inc({ target, verb, outcome }, count);
      },
    });
    this.#seconds = new Histogram({
      name: "lockkeeper_verb_duration_seconds",
      help: "Time from a validated request to its response, without acquires that may wait (waitMs > 0).",
      labelNames: ["target", "verb"],
      buckets: VERB_SECONDS,
      registers,
    });
    this.#waits = new Histogram({
      name: "lockkeeper_wait_duration_seconds",
      help: "Wait time of acquires that may wait (waitMs > 0), by outcome (granted, timeout, aborted, ...).",
      labelNames: ["target", "outcome"],
      buckets: WAIT_SECONDS,
      registers,
    });
  }

  /**
   * Records a call. Counts are kept in maps, because this method runs for every request and a counter of the metrics
   * library would double the cost of a call.
   */
  recordVerb({ target, verb, waits }: VerbCall, { outcome, waitedMs }: VerbEnd, tookMs: number): void {
    const outcomes = getOrCreateMap(getOrCreateMap(this.#calls, target), verb);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (waits) this.#waits.observe({ target, outcome }, (waitedMs ?? tookMs) / 1000);
    else this.#seconds.observe({ target, verb }, tookMs / 1000);
  }

  *#listCounts(): Generator<[target: string, verb: string, outcome: string, count: number]> {
    for (const [target, verbs] of this.#calls)
      for (const [verb, outcomes] of verbs)
        for (const [outcome, count] of outcomes) yield [target, verb, outcome, count];
  }
}

function getOrCreateMap<Inner>(map: Map<string, Map<string, Inner>>, name: string): Map<string, Inner> {
  let inner = map.get(name);
  if (inner === undefined) {
    inner = new Map();
    map.set(name, inner);
  }
  return inner;
}
