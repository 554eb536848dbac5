import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type MeasuredTargets, TargetMetrics } from "./target-metrics.ts";
import type { VerbCall, VerbEnd } from "./verb-call.ts";
import { VerbMetrics } from "./verb-metrics.ts";

export interface MetricsDeps {
  readonly targets: MeasuredTargets;
  readonly streams: { readonly size: number };
  /** Maximum number of key patterns per target for which metrics are exported. */
  readonly patterns: number;
}

/** The Prometheus metrics of this instance. Keys and owners are not labels, so the number of series is bounded. */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #registry = new Registry();
  readonly #verbs: VerbMetrics;

  constructor({ targets, streams, patterns }: MetricsDeps) {
    this.#verbs = new VerbMetrics(this.#registry);
    new TargetMetrics(this.#registry, targets, patterns);
    new Gauge({
      name: "lockkeeper_streams_open",
      help: "Open event streams to consoles and applications.",
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

/**
 * Returns the registry of the metrics of the Node.js process. The registry is created at the first scrape and then
 * shared, because its GC and event-loop observers cannot be stopped.
 */
function getProcessRegistry(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}
