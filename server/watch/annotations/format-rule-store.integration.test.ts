import { expect } from "vitest";
import type { FormatRule } from "../../../lib/contract/detection/format-rule.ts";
import { redisTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { AccountDirectory } from "../../auth/account-directory.ts";
import { ChangedError } from "../../errors/operator-errors.ts";
import { HomeStore } from "../../home/home-store.ts";
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
    return { home, book: await FormatRuleStore.open({ home, target, configuredRules: given }) };
  };
});

const replaceRules = (book: FormatRuleStore, rules: FormatRule[]) => book.replace(book.storedRules, rules);

it("format rules survive a restart and apply to their own target only", async ({ open }) => {
  await replaceRules((await open()).book, [REDLOCK_NET]);
  expect((await open()).book.listedRules).toEqual([{ ...REDLOCK_NET, from: "api" }]);
  expect((await open([], "other")).book.listedRules).toEqual([]);
});

it("format rules from the configuration come first and survive a replacement of the others", async ({
  open,
}) => {
  const { book } = await open([SPRING]);
  await replaceRules(book, [REDLOCK_NET]);
  expect(book.listedRules.map(({ from }) => from)).toEqual(["configuration", "api"]);
  expect(book.rules.findFormat("app:orders")).toBe("spring");
  expect(book.rules.findFormat("other:orders")).toBe("redlock-net");
  await replaceRules(book, []);
  expect(book.listedRules).toEqual([{ ...SPRING, from: "configuration" }]);
});

it.for(["", "x", "[]", '{"rules":[{"pattern":"a","format":"none"}]}', '{"rules":7}'])(
  "an invalid stored rule set %j is ignored",
  async (text, { open, direct }) => {
    await direct.set(KEY, text);
    expect((await open([SPRING])).book.listedRules).toEqual([{ ...SPRING, from: "configuration" }]);
  },
);

it("a store that lost its data receives the format rules again from the running instance", async ({
  open,
  direct,
}) => {
  const { home, book } = await open();
  await replaceRules(book, [REDLOCK_NET]);
  await direct.flushall();
  await home.ensureRestored();
  expect((await open()).book.listedRules).toEqual([{ ...REDLOCK_NET, from: "api" }]);
});

it("a change by one instance reaches the others, and survives a loss of data", async ({ open, direct }) => {
  const [one, other] = [await open(), await open()];
  let loads = 0;
  other.book.onLoaded(() => {
    loads++;
  });
  await replaceRules(one.book, [REDLOCK_NET]);
  await waitUntil(() => loads === 1, 10_000);
  expect(other.book.storedRules).toEqual([REDLOCK_NET]);
  await replaceRules(other.book, [SPRING]);
  // An instance that has not read the change yet does not overwrite it when it restores its own rules.
  const changed = await direct.get(KEY);
  await direct.flushall();
  await other.home.ensureRestored();
  await one.home.ensureRestored();
  expect(await direct.get(KEY)).toBe(changed);
  await waitUntil(() => one.book.storedRules[0]?.format === SPRING.format, 10_000);
  await replaceRules(one.book, []);
  await waitUntil(() => other.book.storedRules.length === 0, 10_000);
  expect(loads).toBe(2);
});

it("a refresh finds a change by another instance, which a later replacement does not hide", async ({
  open,
}) => {
  const [one, other] = [await open(), await open()];
  await replaceRules(one.book, [REDLOCK_NET]);
  await other.book.refresh();
  expect(other.book.storedRules).toEqual([REDLOCK_NET]);
  await replaceRules(other.book, [SPRING]);
  await one.book.refresh();
  expect(one.book.storedRules).toEqual([SPRING]);
});

it("a store that lost its data receives the format rules again without any request", async ({
  open,
  direct,
}) => {
  const { home, book } = await open();
  await AccountDirectory.open(home);
  await replaceRules(book, [REDLOCK_NET]);
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
    const [one, other] = [(await open()).book, (await open()).book];
    const [first, second] = [one.storedRules, other.storedRules];
    await one.replace(first, [REDLOCK_NET]);
    await expect(other.replace(second, rules)).rejects.toThrow(ChangedError);
    await expect(one.replace(first, rules)).rejects.toThrow(ChangedError);
    await other.refresh();
    expect(other.storedRules).toEqual([REDLOCK_NET]);
    await replaceRules(other, [...rules]);
    expect((await open()).book.storedRules).toEqual(rules);
  },
);
