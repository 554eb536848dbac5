import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type MeasuredTargets, TargetMetrics } from "./target-metrics.ts";
import type { VerbCall, VerbEnd } from "./verb-call.ts";
import { VerbMetrics } from "./verb-metrics.ts";

export interface MetricsDeps {
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

  constructor({ targets, streams, patterns }: MetricsDeps) {
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

  readonly recordVerb = (call: VerbCall, end: VerbEnd, tookMs: number): void => {
    this.#verbs.recordVerb(call, end, tookMs);
  };

  async renderText(): Promise<string> {
    return (await this.#registry.metrics()) + (await getProcessRegistry().metrics());
  }
}

let processRegistry: Registry | undefined;

/** One a process, whose observers of garbage and delay nothing could end; from the first scrape on. */
function getProcessRegistry(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}
