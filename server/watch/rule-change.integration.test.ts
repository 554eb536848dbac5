import { describe, expect } from "vitest";
import { watcherTest } from "../../test/support/fixtures.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock } from "../../test/support/test-watcher.ts";
import { FormatRules, NO_RULES } from "../formats/format-rules.ts";

/** A value that is listed as a lock only if a rule sets its format. */
const VALUE = "not like a lock";

const it = watcherTest().extend(
  "isListed",
  ({ watcher }) =>
    (key: string) =>
      watcher.index.get(key)?.isListed === true,
);

it.beforeAll(({ watcher }) => watcher.setFormatRules(NO_RULES));

it.afterEach(async ({ watcher }) => {
  watcher.setFormatRules(NO_RULES);
  await watcher.waitUntilSettled();
});

describe("a change to format rules", () => {
  it("misses nothing, so the watcher stays complete and no gap is recorded", async ({
    watcher,
    direct,
    key,
  }) => {
    await acquireForeignLock(direct, key);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    const states = new Set<string>();
    const stop = watcher.onChange(() => states.add(`${watcher.health().state} ${watcher.isComplete}`));
    const other = `${key}:value`;
    await direct.set(other, VALUE, "PX", 60_000);
    watcher.setFormatRules(new FormatRules([{ pattern: other, format: "token" }]));
    states.add(`${watcher.health().state} ${watcher.isComplete}`);
    await waitUntil(() => watcher.index.get(other) !== undefined);
    stop();
    expect([...states]).toEqual(["live true"]);
  });

  it("reports a lock that it recognizes as seen, and no end of one that it no longer does", async ({
    watching,
    watcher,
    direct,
    isListed,
    key,
  }) => {
    await direct.set(key, VALUE, "PX", 60_000);
    await watcher.readKey(key);
    expect(isListed(key)).toBe(false);
    watcher.setFormatRules(new FormatRules([{ pattern: key, format: "token" }]));
    await waitUntil(() => isListed(key));
    watcher.setFormatRules(NO_RULES);
    await waitUntil(() => !isListed(key));
    const events = await watching.waitForEvents(key, 1);
    expect(events.map(({ type, observed }) => `${type} ${observed}`)).toEqual(["seen inferred"]);
    expect(watcher.missedChanges.counts).toMatchObject({ found: 0, gone: 0, changed: 0 });
  });

  it("reports what happens to a lock whose format it changed", async ({
    watching,
    watcher,
    direct,
    isListed,
    key,
  }) => {
    await direct.set(key, VALUE, "PX", 60_000);
    watcher.setFormatRules(new FormatRules([{ pattern: key, format: "token" }]));
    await waitUntil(() => isListed(key));
    await direct.del(key);
    await waitUntil(() => !isListed(key));
    const events = await watching.waitForEvents(key, 2);
    expect(events.map(({ type }) => type)).toEqual(["seen", "released"]);
  });
});
