import { describe, expect, it } from "vitest";
import type { ClientResult } from "./client/messages.ts";
import { LIMITS } from "./limits.ts";
import { formatCase, formatTotal } from "./report.ts";
import { computeP99LimitMs, listFailures, type Measurement } from "./verdict.ts";

const MB = 2 ** 20;

const CLIENT: ClientResult = {
  acquireMs: Array.from({ length: 1_000 }, () => 2),
  failures: {},
  healthzMsMax: 3,
  healthzFailures: 0,
  states: { live: 30 },
};

const SOUND: Measurement = {
  name: "large-hash",
  plantedBytes: 160 * MB,
  redis: { beforeBytes: 2 * MB, peakBytes: 170 * MB, rssPeakBytes: 180 * MB },
  lockkeeper: { rssBeforeBytes: 150 * MB, rssPeakBytes: 160 * MB, rssAfterBytes: 155 * MB },
  client: CLIENT,
  quietP99Ms: 3,
  allowedStates: [],
  faults: [],
  seconds: 6,
};

const withClient = (changes: Partial<ClientResult>): Measurement => ({
  ...SOUND,
  client: { ...CLIENT, ...changes },
});

/** Returns the durations of 1,000 acquires, `count` of which took `ms`. */
const createTail = (count: number, ms: number) => [
  ...Array.from({ length: 1_000 - count }, () => 2),
  ...Array.from({ length: count }, () => ms),
];

describe("verdict of a hostile case", () => {
  it("a case that keeps to every limit passed", () => {
    expect(listFailures(SOUND)).toEqual([]);
    expect(formatCase(SOUND)).toMatch(/^large-hash: passed\n {2}planted 160\.0 MB; Redis grew by 168\.0 MB/);
  });

  it.each<[string, Measurement, RegExp]>([
    [
      "Redis grew by more than the planted data and 64 MB",
      { ...SOUND, redis: { ...SOUND.redis, peakBytes: 2 * MB + 160 * MB + 64 * MB + 1 } },
      /^Redis grew by 224\.0 MB, limit 224\.0 MB$/,
    ],
    [
      "RSS of Lockkeeper exceeded its limit",
      { ...SOUND, lockkeeper: { ...SOUND.lockkeeper, rssPeakBytes: LIMITS.lockkeeperRssBytesMax + 1 } },
      /^RSS of Lockkeeper reached/,
    ],
    ["more than 1 % of the acquires were late", withClient({ acquireMs: createTail(11, 101) }), /^p99 of/],
    ["too few acquires were measured", withClient({ acquireMs: [1, 2] }), /^2 of 1000 acquires/],
    ["an acquire failed", withClient({ failures: { "acquire: 503 unavailable": 1 } }), /^1 × acquire: 503/],
    [
      "the target was down",
      withClient({ states: { live: 30, down: 1 } }),
      /^the target was down in 1 of 31 samples$/,
    ],
    ["/healthz was slow", withClient({ healthzMsMax: 1_001 }), /^\/healthz took 1\.0 s/],
    ["/healthz failed", withClient({ healthzFailures: 2 }), /^\/healthz failed 2 times$/],
    ["the client never began", { ...SOUND, client: undefined }, /^no acquire was measured$/],
    ["the case reported a fault", { ...SOUND, faults: ["Redis ended"] }, /^Redis ended$/],
  ])("a case failed if %s", (_, measured, reason) => {
    expect(listFailures(measured)).toEqual([expect.stringMatching(reason)]);
    expect(formatCase(measured)).toMatch(/^large-hash: failed \(.+\)\n/);
  });

  it("a case passed if exactly 1 % of the acquires were late", () => {
    expect(listFailures(withClient({ acquireMs: createTail(10, 5_000) }))).toEqual([]);
  });

  it("a case may cause the states that it names", () => {
    const measured = withClient({ states: { live: 30, partial: 2 } });
    expect(listFailures(measured)).toEqual(["the target was partial in 2 of 32 samples"]);
    expect(listFailures({ ...measured, allowedStates: ["partial"] })).toEqual([]);
  });

  it("the target may be catching up in a tenth of the samples", () => {
    expect(listFailures(withClient({ states: { live: 27, catching_up: 3 } }))).toEqual([]);
    const failures = ["the target was catching_up in 4 of 30 samples"];
    expect(listFailures(withClient({ states: { live: 26, catching_up: 4 } }))).toEqual(failures);
  });

  it("the p99 limit is 20 times the quiet p99, and 100 ms at least", () => {
    expect(computeP99LimitMs(2)).toBe(100);
    expect(computeP99LimitMs(8)).toBe(160);
  });

  it("the last line counts passed and failed cases", () => {
    expect(formatTotal([SOUND, { ...SOUND, faults: ["x"] }, SOUND])).toBe("2 passed, 1 failed");
  });
});
