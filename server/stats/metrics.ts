import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type MeasuredTargets, TargetMetrics } from "./target-metrics.ts";
import type { VerbCall, VerbEnd } from "./verb-call.ts";
import { VerbMetrics } from "./verb-metrics.ts";

export interface MetricsParts {
  readonly targets: MeasuredTargets;
  readonly streams: { readonly size: number };
  /** Of how many patterns of keys a target there are series. */
  readonly patterns: number;
}

/** All that Prometheus is told. No label is a key or an owner, so the number of series is bounded. */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #registry = new Registry();
  readonly #verbs: VerbMetrics;

  constructor({ targets, streams, patterns }: MetricsParts) {
    this.#verbs = new VerbMetrics(this.#registry);
    new TargetMetrics(this.#registry, targets, patterns);
    new Gauge({
      name: "lockkeeper_streams_open",
      help: "Streams of events to consoles and apps that are open.",
      registers: [this.#registry],
      collect() {
        this.set(streams.size);
      },
    });
  }

  readonly verbEnded = (call: VerbCall, end: VerbEnd, tookMs: number): void => {
    this.#verbs.ended(call, end, tookMs);
  };

  async text(): Promise<string> {
    return (await this.#registry.metrics()) + (await processMetrics().metrics());
  }
}

let ofProcess: Registry | undefined;

/** One a process, whose observers of garbage and delay nothing could end; from the first scrape on. */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}
