import { describe, expect, onTestFinished } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { createHoldId } from "../../test/support/hold-ids.ts";
import { ROOT_KEY, startTestServer, waitUntil } from "../../test/support/test-server.ts";

const WITH_KEY = { authorization: `Bearer ${ROOT_KEY}` };
const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+?Inf)|NaN)$/i;
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;

/**
 * Parses metrics into values by series name and labels.
 *
 * @throws if the text is not in the Prometheus text format
 */
function parseMetrics(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  const helps = new Set<string>();
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind !== undefined) {
      expect(kind === "HELP" ? helps.has(name) : types.has(name), line).toBe(false);
      if (kind === "HELP") helps.add(name);
      else types.set(name, rest);
      continue;
    }
    const [, sample = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
    expect(sample, line).not.toBe("");
    expect([...labels.matchAll(LABEL)].map(([all]) => all).join(""), line).toBe(labels);
    const family = types.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, "");
    expect(types.has(family) && helps.has(family), line).toBe(true);
    expect(samples.has(`${sample}{${labels}}`), line).toBe(false);
    samples.set(`${sample}{${labels}}`, Number(value.replace("Inf", "Infinity")));
  }
  return samples;
}

const it = serverTest({
  redis: { args: ["--notify-keyspace-events", "Kghszxe$"] },
  environment: { LOCKKEEPER_METRICS_PATTERNS: "3" },
})
  .extend("scrape", { scope: "file" }, ({ server }) => async (): Promise<Map<string, number>> => {
    const response = await fetch(`${server.url}/metrics`, { headers: WITH_KEY });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    return parseMetrics(await response.text());
  })
  .extend(
    "callVerb",
    { scope: "file" },
    ({ server }) =>
      (key: string, verb: string, body: object) =>
        server.call(`/locks/${key}/${verb}`, { body }),
  );

const formatCallSeries = (verb: string, outcome: string) =>
  `lockkeeper_verb_calls_total{target="default",verb="${verb}",outcome="${outcome}"}`;
const formatEventSeries = (type: string) => `lockkeeper_events_total{target="default",type="${type}"}`;
const HELD = 'lockkeeper_locks_held{target="default",format="redisson",liveness="unknown"}';

describe("GET /metrics", () => {
  it("the metrics are valid Prometheus text, and counters rise with each operation", async ({
    server,
    scrape,
    callVerb,
  }) => {
    const before = await scrape();
    expect(before.get(formatEventSeries("acquired"))).toBe(0);
    const hold = await server.acquire("lock:m", { owner: "a" });
    await callVerb("lock:m", "acquire", { owner: "b" });
    await callVerb("lock:m", "acquire", { owner: "b", waitMs: 30 });
    await server.callHold({ holdId: createHoldId({ key: "lock:m" }) }, "renew");
    await waitUntil(async () => (await scrape()).get(HELD) === 1);
    await server.callVerb("lock:m", "acquire", { reenter: hold.holdId }, { "idempotency-key": "a" });
    for (const id of ["b", "c", "d"]) await server.callHold(hold, "release", {}, { "idempotency-key": id });
    await server.readHold(hold);
    await waitUntil(async () => (await scrape()).get(formatEventSeries("released")) === 2);
    const after = await scrape();
    for (const [verb, outcome] of [
      ["acquire", "granted"],
      ["acquire", "held"],
      ["acquire", "timeout"],
      ["renew", "lost"],
      ["reenter", "granted"],
      ["verify", "lost"],
      ["release", "still_held"],
      ["release", "released"],
      ["release", "not_held"],
    ] as const) {
      expect(after.get(formatCallSeries(verb, outcome)), `${verb} ${outcome}`).toBe(1);
    }
    const duration = 'lockkeeper_verb_duration_seconds_count{target="default",verb="acquire"}';
    expect(after.get(duration)).toBe(2);
    const wait = 'lockkeeper_wait_duration_seconds_sum{target="default",outcome="timeout"}';
    expect(after.get(wait)).toBeGreaterThanOrEqual(0.03);
    await waitUntil(async () => (await scrape()).get(HELD) === 0);
    for (const name of ["target_up", "target_live", "notifications_on", "recorder"])
      expect(after.get(`lockkeeper_${name}{target="default"}`), name).toBe(1);
    expect(after.get('lockkeeper_scan_age_seconds{target="default"}')).toBeLessThan(60);
    expect(after.get("process_resident_memory_bytes{}")).toBeGreaterThan(1e6);
  });

  it("the number of series stays bounded for 10,000 different keys and owners", async ({
    direct,
    scrape,
    callVerb,
  }) => {
    await callVerb("lock:first", "acquire", { owner: "a" });
    await waitUntil(async () => (await scrape()).size > 0);
    const before = await scrape();
    const letters = (number: number) =>
      [...String(number)].map((digit) => "abcdefghij"[Number(digit)]).join("");
    const pipeline = direct.pipeline();
    for (let key = 0; key < 10_000; key++)
      pipeline.hset(`lock:${letters(key)}:many`, `6f0c1d9e-7c1b-4a8e-9f0e-1c2d3e4f5a6b:${key}`, 1);
    await pipeline.exec();
    for (let key = 0; key < 200; key++)
      await callVerb(`lock:${letters(key)}:api`, "acquire", { owner: `o${key}` });
    await waitUntil(async () => ((await scrape()).get(formatEventSeries("acquired")) ?? 0) >= 10_201, 20_000);
    const after = await scrape();
    const names = [...after.keys()].filter((series) => !/^(process|nodejs)_/.test(series));
    // At most two series for new liveness states, and twelve for the three busiest patterns: two quantiles of two
    // metrics each.
    expect(
      names.length - [...before.keys()].filter((name) => !/^(process|nodejs)_/.test(name)).length,
    ).toBeLessThanOrEqual(2 + 3 * 4);
    expect(names.join("\n")).not.toMatch(/o199|6f0c1d9e/);
  }, 60_000);

  it("the metrics require an API key", async ({ server }) => {
    const refused = await fetch(`${server.url}/metrics`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toContain("Bearer");
    const post = await fetch(`${server.url}/metrics`, { method: "POST", headers: WITH_KEY });
    expect(post.status).toBe(405);
  });
});

describe("LOCKKEEPER_METRICS", () => {
  it.for<[string, number]>([
    ["open", 200],
    ["off", 404],
  ])("LOCKKEEPER_METRICS=%s makes /metrics return %i without a key", async ([setting, status]) => {
    const other = await startTestServer({ environment: { LOCKKEEPER_METRICS: setting } });
    onTestFinished(() => other.stop());
    expect((await fetch(`${other.url}/metrics`)).status).toBe(status);
  });
});
