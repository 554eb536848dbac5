/**
 * Polls `/healthz` and `/readyz` every 10 ms, even if earlier responses have not arrived. The measurement starts with
 * the first response.
 *
 * Usage: `health-probe.ts PORT`
 */
import { Agent, get } from "node:http";
import { computePercentile } from "../statistics.ts";

export interface HealthProbeResult {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Time in ms from the first response of any status until `/readyz` returned 200; -1 if it never did. */
  readonly readyAfterMs: number;
}

const EVERY_MS = 10;
const [port = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
let durationsMs: number[] = [];
let pending = 0;
let isPolling = false;
let firstAt: number | undefined;
let readyAfterMs = -1;

function poll(path: string): void {
  const sentAt = performance.now();
  pending++;
  const request = get({ port, path, agent, host: "127.0.0.1" }, (response) => {
    response.resume();
    response.on("end", () => {
      pending--;
      const now = performance.now();
      firstAt ??= now;
      durationsMs.push(now - sentAt);
      if (path === "/readyz" && response.statusCode === 200 && readyAfterMs < 0) readyAfterMs = now - firstAt;
    });
  });
  request.on("error", () => {
    pending--;
    // Errors before the first response mean that the server does not listen yet, so they are not counted.
    if (firstAt !== undefined) durationsMs.push(performance.now() - sentAt);
  });
}

setInterval(() => {
  if (!isPolling) return;
  // Until the server listens, only one pair of requests is open at a time.
  if (firstAt === undefined && pending > 0) return;
  poll("/healthz");
  poll("/readyz");
}, EVERY_MS);

async function collect(): Promise<HealthProbeResult> {
  isPolling = false;
  while (pending > 0) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  return {
    count: durationsMs.length,
    p50Ms: computePercentile(durationsMs, 0.5),
    p99Ms: computePercentile(durationsMs, 0.99),
    maxMs: computePercentile(durationsMs, 1),
    readyAfterMs,
  };
}

process.on("message", async (words) => {
  if (words === "end") {
    process.send?.(await collect());
    return;
  }
  durationsMs = [];
  isPolling = true;
  process.send?.("begun");
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
