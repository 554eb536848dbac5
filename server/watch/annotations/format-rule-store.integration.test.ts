import { expect, onTestFinished } from "vitest";
import type { FormatRule } from "../../../lib/contract/detection/format-rule.ts";
import { redisTest } from "../../../test/support/fixtures.ts";
import { catchLockError } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { AccountDirectory } from "../../auth/account-directory.ts";
import { ChangedError } from "../../errors/operator-errors.ts";
import { HomeStore } from "../../home/home-store.ts";
import { connect, parseRedisAddress } from "../../redis/connect.ts";
import { FormatRuleStore } from "./format-rule-store.ts";

const KEY = "{lockkeeper}:format-rules:main";
const SPRING: FormatRule = { pattern: "app:*", format: "spring" };
const REDLOCK_NET: FormatRule = { pattern: "*:orders", format: "redlock-net" };

/** Provides `open`, which opens the store as a new process does. Each test starts with an empty Redis. */
const it = redisTest().extend("open", async ({ redis, direct }) => {
  await direct.flushall();
  return async (given: FormatRule[] = [], target = "main") => {
    const home = new HomeStore(redis.createClient());
    await home.ensureRestored();
    return { home, store: await FormatRuleStore.open({ home, target, configuredRules: given }) };
  };
});

const replaceRules = (store: FormatRuleStore, rules: FormatRule[]) => store.replace(store.storedRules, rules);

it("format rules survive a restart and apply to their own target only", async ({ open }) => {
  await replaceRules((await open()).store, [REDLOCK_NET]);
  expect((await open()).store.listedRules).toEqual([{ ...REDLOCK_NET, from: "api" }]);
  expect((await open([], "other")).store.listedRules).toEqual([]);
});

it("format rules from the configuration come first and survive a replacement of the others", async ({
  open,
}) => {
  const { store } = await open([SPRING]);
  await replaceRules(store, [REDLOCK_NET]);
  expect(store.listedRules.map(({ from }) => from)).toEqual(["configuration", "api"]);
  expect(store.rules.findFormat("app:orders")).toBe("spring");
  expect(store.rules.findFormat("other:orders")).toBe("redlock-net");
  await replaceRules(store, []);
  expect(store.listedRules).toEqual([{ ...SPRING, from: "configuration" }]);
});

it.for(["", "x", "[]", '{"rules":[{"pattern":"a","format":"none"}]}', '{"rules":7}'])(
  "an invalid stored rule set %j is ignored",
  async (text, { open, direct }) => {
    await direct.set(KEY, text);
    expect((await open([SPRING])).store.listedRules).toEqual([{ ...SPRING, from: "configuration" }]);
  },
);

it("rules that only Redis lost can be replaced", async ({ open, direct }) => {
  const { store } = await open();
  await replaceRules(store, [REDLOCK_NET]);
  await direct.del(KEY);
  await replaceRules(store, [SPRING]);
  expect((await open()).store.listedRules).toEqual([{ ...SPRING, from: "api" }]);
});

it("a replacement whose reply was lost before another change has an unknown outcome", async ({
  open,
  redis,
  direct,
}) => {
  const proxy = await startTestProxy(redis.port);
  onTestFinished(() => proxy.stop());
  const connection = connect(parseRedisAddress(`redis://127.0.0.1:${proxy.port}`), "home");
  onTestFinished(() => connection.disconnect());
  const home = new HomeStore(connection);
  await home.ensureRestored();
  const store = await FormatRuleStore.open({ home, target: "main", configuredRules: [] });
  proxy.mode = "drop_replies";
  const replaced = catchLockError(replaceRules(store, [REDLOCK_NET]));
  await waitUntil(async () => (await direct.exists(KEY)) === 1);
  const other = (await open()).store;
  await replaceRules(other, [SPRING]);
  proxy.mode = "pass";
  expect((await replaced).code).toBe("unknown_outcome");
  expect((await open()).store.storedRules).toEqual([SPRING]);
});

it("a store that lost its data receives the format rules again from the running instance", async ({
  open,
  direct,
}) => {
  const { home, store } = await open();
  await replaceRules(store, [REDLOCK_NET]);
  await direct.flushall();
  await home.ensureRestored();
  expect((await open()).store.listedRules).toEqual([{ ...REDLOCK_NET, from: "api" }]);
});

it("a change by one instance reaches the others, and survives a loss of data", async ({ open, direct }) => {
  const [one, other] = [await open(), await open()];
  let loads = 0;
  other.store.onLoaded(() => {
    loads++;
  });
  await replaceRules(one.store, [REDLOCK_NET]);
  await waitUntil(() => loads === 1, 10_000);
  expect(other.store.storedRules).toEqual([REDLOCK_NET]);
  await replaceRules(other.store, [SPRING]);
  // An instance that has not read the change yet does not overwrite it when it restores its own rules.
  const changed = await direct.get(KEY);
  await direct.flushall();
  await other.home.ensureRestored();
  await one.home.ensureRestored();
  expect(await direct.get(KEY)).toBe(changed);
  await waitUntil(() => one.store.storedRules[0]?.format === SPRING.format, 10_000);
  await replaceRules(one.store, []);
  await waitUntil(() => other.store.storedRules.length === 0, 10_000);
  expect(loads).toBe(2);
});

it("a refresh finds a change by another instance, which a later replacement does not hide", async ({
  open,
}) => {
  const [one, other] = [await open(), await open()];
  await replaceRules(one.store, [REDLOCK_NET]);
  await other.store.refresh();
  expect(other.store.storedRules).toEqual([REDLOCK_NET]);
  await replaceRules(other.store, [SPRING]);
  await one.store.refresh();
  expect(one.store.storedRules).toEqual([SPRING]);
});

it("a store that lost its data receives the format rules again without any request", async ({
  open,
  direct,
}) => {
  const { home, store } = await open();
  await AccountDirectory.open(home);
  await replaceRules(store, [REDLOCK_NET]);
  const stored = await direct.get(KEY);
  await direct.flushall();
  await waitUntil(async () => (await direct.get(KEY)) === stored);
});

it.for([
  ["different", [SPRING]],
  ["equal", [REDLOCK_NET]],
] as const)(
  "of two overlapping changes to %s rules, only the first is written",
  async ([, rules], { open }) => {
    const [one, other] = [(await open()).store, (await open()).store];
    const [first, second] = [one.storedRules, other.storedRules];
    await one.replace(first, [REDLOCK_NET]);
    await expect(other.replace(second, rules)).rejects.toThrow(ChangedError);
    await expect(one.replace(first, rules)).rejects.toThrow(ChangedError);
    await other.refresh();
    expect(other.storedRules).toEqual([REDLOCK_NET]);
    await replaceRules(other, [...rules]);
    expect((await open()).store.storedRules).toEqual(rules);
  },
);
