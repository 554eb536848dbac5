import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { Election } from "./election.ts";
import { EventStore, type StoreConnection } from "./events/event-store.ts";

/** A connection to the home store that loses replies while `losesAnswers` is set. */
class LossyConnection implements StoreConnection {
  losesAnswers = false;

  constructor(private readonly redis: Redis) {}

  async callOnce<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const reply = await command(this.redis);
    if (this.losesAnswers) throw new Error("no answer");
    return reply;
  }

  close(): void {}
}

const LEASE_MS = 5000;
const it = redisTest().extend("stand", ({ direct, key }) => () => {
  const connection = new LossyConnection(direct);
  return { connection, election: new Election(connection, key, LEASE_MS) };
});

describe("Election", () => {
  it("one of several instances leads, by a hold with a token and a fencing token of its own", async ({
    stand,
    direct,
    key,
  }) => {
    const [one, other] = [stand().election, stand().election];
    expect(await one.campaign()).toBe(true);
    expect(await other.campaign()).toBe(false);
    expect(await direct.get(key)).toBe(one.lead?.token);
    expect(one.isOwnToken(one.lead?.token ?? "")).toBe(true);
    expect(other.isOwnToken(one.lead?.token ?? "")).toBe(false);
    const before = one.lead;
    await one.resign();
    expect(await other.campaign()).toBe(true);
    expect(other.lead?.token).not.toBe(before?.token);
    expect(Number(other.lead?.fence)).toBeGreaterThan(Number(before?.fence));
  });

  it("a campaign whose answer was lost is repeated and returns the hold that was granted", async ({
    stand,
    direct,
    key,
  }) => {
    const { connection, election } = stand();
    connection.losesAnswers = true;
    await expect(election.campaign()).rejects.toThrow("no answer");
    const stored = await direct.get(key);
    expect(election.isOwnToken(stored ?? "")).toBe(true);
    expect(election.lead).toBeUndefined();
    connection.losesAnswers = false;
    expect(await election.campaign()).toBe(true);
    expect(election.lead?.token).toBe(stored);
  });

  it("an instance that resigns releases a lead whose grant never arrived", async ({ stand, direct, key }) => {
    const { connection, election } = stand();
    connection.losesAnswers = true;
    await expect(election.campaign()).rejects.toThrow("no answer");
    connection.losesAnswers = false;
    await election.resign();
    expect(await direct.exists(key)).toBe(0);
    expect(await stand().election.campaign()).toBe(true);
  });

  it("a campaign after lost answers to renewals leads on with the same hold", async ({ stand }) => {
    const { connection, election } = stand();
    await election.campaign();
    const before = election.lead;
    connection.losesAnswers = true;
    await expect(election.renew()).rejects.toThrow("no answer");
    connection.losesAnswers = false;
    expect(await election.campaign()).toBe(true);
    expect(election.lead).toMatchObject({ token: before?.token, fence: before?.fence });
  });

  it("a lost lead is not renewed, and the next campaign takes a new hold", async ({ stand, direct, key }) => {
    const { election } = stand();
    await election.campaign();
    const before = election.lead;
    await direct.del(key);
    expect(await election.renew()).toBe(false);
    expect(await election.campaign()).toBe(true);
    expect(election.lead?.token).not.toBe(before?.token);
  });

  it("only the present hold appends, whichever fencing token an earlier one names", async ({ stand }) => {
    const { connection } = stand();
    const store = new EventStore(connection, `elected-${process.pid}`, { most: 10, ms: 60_000 });
    const election = new Election(connection, store.lockKey, LEASE_MS);
    await election.campaign();
    const first = election.lead;
    await election.resign();
    await election.campaign();
    const { lead } = election;
    if (first === undefined || lead === undefined) throw new Error("nobody leads");
    const ask = { last: null, until: null, cutAt: null, isTruncated: false, entries: [] };
    expect(await store.append({ ...first, fence: lead.fence }, ask)).toEqual({ outcome: "refused" });
    expect(await store.append({ ...lead, fence: first.fence }, ask)).toEqual({ outcome: "refused" });
    expect(await store.append(lead, ask)).toEqual({ outcome: "appended", ids: [] });
  });
});
