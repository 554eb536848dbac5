import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { FormatRule } from "../../../lib/contract/detection/format-rule.ts";
import { startTestRedis, type TestRedis } from "../../../test/support/test-redis.ts";
import { HomeStore } from "../../home/home-store.ts";
import { FormatRuleStore } from "./format-rule-store.ts";

const KEY = "{lockkeeper}:format-rules:main";
const SPRING: FormatRule = { pattern: "app:*", format: "spring" };
const REDLOCK_NET: FormatRule = { pattern: "*:orders", format: "redlock-net" };

let redis: TestRedis;
let direct: Redis;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.createClient();
});
afterAll(async () => await redis.stop());
beforeEach(async () => await direct.flushall());

/** As a process does that starts. */
async function open(given: FormatRule[] = [], target = "main") {
  const home = new HomeStore(redis.createClient());
  await home.ensureRestored();
  return { home, book: await FormatRuleStore.open({ home, target, configuredRules: given }) };
}

it("format rules survive a restart and apply to their own target only", async () => {
  await (await open()).book.replace([REDLOCK_NET]);
  expect((await open()).book.listedRules).toEqual([{ ...REDLOCK_NET, from: "api" }]);
  expect((await open([], "other")).book.listedRules).toEqual([]);
});

it("format rules from the configuration come first and survive a replacement of the others", async () => {
  const { book } = await open([SPRING]);
  await book.replace([REDLOCK_NET]);
  expect(book.listedRules.map(({ from }) => from)).toEqual(["configuration", "api"]);
  expect(book.rules.findFormat("app:orders")).toBe("spring");
  expect(book.rules.findFormat("other:orders")).toBe("redlock-net");
  await book.replace([]);
  expect(book.listedRules).toEqual([{ ...SPRING, from: "configuration" }]);
});

it.each(["", "x", "[]", '{"rules":[{"pattern":"a","format":"none"}]}', '{"rules":7}'])(
  "an invalid stored rule set %j is ignored",
  async (text) => {
    await direct.set(KEY, text);
    expect((await open([SPRING])).book.listedRules).toEqual([{ ...SPRING, from: "configuration" }]);
  },
);

it("a store that lost its data receives the format rules again from the running instance", async () => {
  const { home, book } = await open();
  await book.replace([REDLOCK_NET]);
  await direct.flushall();
  await home.ensureRestored();
  expect((await open()).book.listedRules).toEqual([{ ...REDLOCK_NET, from: "api" }]);
});
