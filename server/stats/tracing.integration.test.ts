import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startTestServer, waitUntil } from "../../test/support/test-server.ts";
import { settlesWithin } from "../../test/support/timing.ts";

interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number };
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** Provides `collector`, a server that accepts OTLP as JSON, as collectors do on port 4318. */
const it = test.extend("collector", async ({}, { onCleanup }) => {
  const spans: OtlpSpan[] = [];
  const services = new Set<unknown>();
  const collector = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    expect(incoming.url).toBe("/v1/traces");
    const body = JSON.parse(Buffer.concat(chunks).toString());
    for (const { resource, scopeSpans } of body.resourceSpans) {
      for (const { key, value } of resource.attributes)
        if (key === "service.name") services.add(value.stringValue);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    outgoing.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  onCleanup(() => void collector.close());
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  return { url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`, spans, services };
});

const listAttributes = ({ attributes }: OtlpSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const computeDurationMs = ({ startTimeUnixNano, endTimeUnixNano }: OtlpSpan) =>
  Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6;

it("each verb exports a span in the caller's trace with the wait inside, and a stop flushes the rest", async ({
  collector: { url, spans, services },
}) => {
  const server = await startTestServer({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const act = (verb: string, body: object) => server.call(`/locks/lock%3At/${verb}`, { body, headers });
  const { body: hold } = await act("acquire", { owner: "a" });
  await act("acquire", { owner: "b" });
  const waiting = act("acquire", { owner: "b", waitMs: 5000, format: "redisson" });
  await waitUntil(async () => (await server.call("/stats")).body.totals.waiting === 1);
  await server.callHold(hold, "renew", {}, headers);
  await server.callHold(hold, "release", {}, headers);
  const { waitedMs, fence } = (await waiting).body;
  await act("force-release", { expectedVersion: `fence.${fence}`, reason: "test" });
  await server.readHold(hold);
  const stopped = server.stop();
  expect(await settlesWithin(stopped, 1800)).toBe(true);
  await stopped;

  const outcomes = spans.map((span) => [span.name, listAttributes(span)["lockkeeper.outcome"]]);
  expect(outcomes).toHaveLength(8);
  for (const one of [
    ...[
      ["acquire", "granted"],
      ["acquire", "held"],
      ["renew", "renewed"],
      ["release", "released"],
    ],
    ...[
      ["force_release", "released"],
      ["verify", "lost"],
      ["wait", undefined],
    ],
  ])
    expect(outcomes).toContainEqual(one);
  const ofTrace = spans.filter((span) => span.traceId === traceId);
  expect(ofTrace).toHaveLength(7);
  const wait = spans.find(({ name }) => name === "wait");
  const waited = spans.find(({ spanId }) => spanId === wait?.parentSpanId);
  if (wait === undefined || waited === undefined) throw new Error("the wait stands alone");
  expect(waited.parentSpanId).toBe("00f067aa0ba902b7");
  expect(listAttributes(waited)).toEqual({
    "lockkeeper.target": "default",
    "lockkeeper.key": "lock:t",
    "lockkeeper.format": "redisson",
    "lockkeeper.outcome": "granted",
    "lockkeeper.waited_ms": waitedMs,
  });
  expect(computeDurationMs(wait)).toBeGreaterThanOrEqual(waitedMs - 1);
  expect(computeDurationMs(waited)).toBeGreaterThanOrEqual(computeDurationMs(wait));
  expect(services).toEqual(new Set(["lockkeeper"]));
});

it("the server stops within 1.8 s when the trace collector is unreachable", async () => {
  const environment = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9/traces",
    LOCKKEEPER_LOG: "silent",
  };
  const server = await startTestServer({ environment });
  const { status } = await server.call("/locks/lock%3At/acquire", { body: { owner: "a" } });
  expect(status).toBe(201);
  const stopped = server.stop();
  expect(await settlesWithin(stopped, 1800)).toBe(true);
  await stopped;
});
