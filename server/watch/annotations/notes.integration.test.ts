import { expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { HomeStore } from "../../home/home-store.ts";
import { Notes } from "./notes.ts";

const KEY = "lock:orders";

/** Provides `open`, which opens the notes as a new process does. Each test starts with an empty Redis. */
const it = redisTest().extend("open", async ({ redis, direct }) => {
  await direct.flushall();
  return async () => {
    const home = new HomeStore(redis.createClient());
    await home.ensureRestored();
    const notes = await Notes.open(home, "main");
    return { home, notes, readText: () => notes.find(KEY, undefined)?.text };
  };
});

it("a store that lost its data receives the notes again from a running instance", async ({
  open,
  direct,
}) => {
  const { home, notes } = await open();
  await notes.set(KEY, "ask first", "mei", undefined);
  await direct.flushall();
  await home.ensureRestored();
  expect((await open()).readText()).toBe("ask first");
});

it.for([
  ["overwrite newer notes", "after", "after"],
  ["restore removed notes", "", undefined],
] as const)(
  "an instance that returns after a loss of data does not %s",
  async ([, text, expected], { open, direct }) => {
    const [first, second] = [await open(), await open()];
    await first.notes.set(KEY, "before", "mei", undefined);
    await waitUntil(() => second.readText() === "before");
    await direct.flushall();
    await first.home.ensureRestored();
    await first.notes.set(KEY, text, "mei", undefined);
    await second.home.ensureRestored();
    expect((await open()).readText()).toBe(expected);
    expect(second.readText()).toBe(expected);
  },
);
