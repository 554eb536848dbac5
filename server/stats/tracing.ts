import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { Logger } from "pino";
import { formatKey } from "../../lib/keys/key.ts";
import type { VerbCall, VerbEnd } from "./verb-call.ts";
import type { TraceHeaders, VerbSpan } from "./verb-observer.ts";

export interface TracingOptions {
  /** Endpoint that receives the spans (OTLP over HTTP, JSON). */
  readonly url: string;
  readonly service: string;
}

/** Exporter of trace spans for verb calls. */
export interface Tracing {
  startSpan(call: VerbCall, request: TraceHeaders): VerbSpan;
  /** Flushes pending spans, for at most 500 ms. */
  stop(): Promise<void>;
}

const FLUSH_MS = 500;
/** Outcomes that mark a span as an error. `held` is a normal outcome. */
const FAULTS: ReadonlySet<string> = new Set(["unavailable", "unknown_outcome", "internal"]);

/**
 * Starts the export of spans with OpenTelemetry. The library is loaded on demand, because it takes about 40 ms and 7 MB
 * of memory.
 */
export async function openTracing({ url, service }: TracingOptions, log: Logger): Promise<Tracing> {
  const [api, sdk, { resourceFromAttributes }, { W3CTraceContextPropagator }, { OTLPTraceExporter }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/core"),
      import("@opentelemetry/exporter-trace-otlp-http"),
    ]);
  // Logs SDK diagnostics, for example when a collector does not respond. Without a logger, the SDK discards them.
  api.diag.setLogger(createDiagnosticsLogger(log), {
    logLevel: api.DiagLogLevel.WARN,
    suppressOverrideMessage: true,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": service }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer("lockkeeper");
  const propagator = new W3CTraceContextPropagator();
  const getter = { get: (request: TraceHeaders, name: string) => request.header(name), keys: () => [] };
  return {
    startSpan(call, request) {
      const parent = propagator.extract(api.ROOT_CONTEXT, request, getter);
      const startedAt = getUnixMs();
      const attributes = toSpanAttributes(call);
      const kind = api.SpanKind.SERVER;
      const span = tracer.startSpan(call.verb, { kind, attributes, startTime: startedAt }, parent);
      const spanContext = api.trace.setSpan(parent, span);
      return new RunningSpan(span, tracer, spanContext, startedAt, call.waits, api.SpanStatusCode.ERROR);
    },
    async stop() {
      const timeOut = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), timeOut]);
    },
  };
}

class RunningSpan implements VerbSpan {
  constructor(
    private readonly span: Span,
    private readonly tracer: Tracer,
    private readonly context: Context,
    private readonly startedAt: number,
    private readonly waits: boolean,
    private readonly error: number,
  ) {}

  end({ outcome, waitedMs }: VerbEnd): void {
    const { span, startedAt } = this;
    const endedAt = getUnixMs();
    span.setAttribute("lockkeeper.outcome", outcome);
    if (this.waits) {
      const waited = waitedMs ?? endedAt - startedAt;
      span.setAttribute("lockkeeper.waited_ms", Math.round(waited));
      // A wait shorter than 1 ms counts as an immediate grant and has no wait span.
      if (waited >= 1) {
        const wait = this.tracer.startSpan("wait", { startTime: startedAt }, this.context);
        wait.end(startedAt + waited);
      }
    }
    if (FAULTS.has(outcome)) span.setStatus({ code: this.error, message: outcome });
    span.end(endedAt);
  }
}

/** Returns the current time in Unix milliseconds, with a fraction. */
function getUnixMs(): number {
  return performance.timeOrigin + performance.now();
}

function toSpanAttributes({ target, key, format }: VerbCall) {
  const attributes = { "lockkeeper.target": target, "lockkeeper.key": formatKey(key) };
  return format === undefined ? attributes : { ...attributes, "lockkeeper.format": format };
}

function createDiagnosticsLogger(log: Logger) {
  const logWarning = (message: string, ...more: unknown[]) => log.warn({ more }, `OpenTelemetry: ${message}`);
  const nothing = () => undefined;
  return { error: logWarning, warn: logWarning, info: nothing, debug: nothing, verbose: nothing };
}
