import { describe, expect } from "vitest";
import { parseHoldId } from "../../server/formats/hold-id.ts";
import { buildCompanionKey, buildFencedCounterKey } from "../../server/formats/keys.ts";
import { serverTest } from "../support/fixtures.ts";
import { createTestKey, openTestVerbs, WRITABLE_FORMATS } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";

const it = serverTest().extend("verbs", { scope: "file" }, async ({ server }, { onCleanup }) => {
  const verbs = await openTestVerbs(server.redis.port);
  onCleanup(() => verbs.close());
  return verbs;
});

// An odd number of 16 digits, close to the largest exact integer of a double. Any rounding changes the number.
const BEFORE = "9007199254740973";
const FENCE = "9007199254740974";
const NEXT = "9007199254740975";

describe.each(WRITABLE_FORMATS)("hazard 20: large numbers in Lua (%s)", (format) => {
  it("a 16-digit fencing token keeps every digit in replies, Redis, events and JSON", async ({
    server,
    direct,
    verbs,
    key,
  }) => {
    const heard: string[] = [];
    const listener = server.redis.createClient();
    await listener.subscribe("lockkeeper:events:0");
    listener.on("message", (_, message: string) => heard.push(message));
    await direct.set(String(buildFencedCounterKey(key)), BEFORE);

    const path = `/locks/${encodeURIComponent(key)}`;
    const granted = await server.call(`${path}/acquire`, { body: { owner: "me", format } });
    expect(granted.body.fence).toBe(FENCE);
    expect(await direct.get(String(buildFencedCounterKey(key)))).toBe(FENCE);
    expect((await direct.get(String(buildCompanionKey(key))))?.split("\n")).toContain(FENCE);
    const ref = parseHoldId(granted.body.holdId);
    if (ref === undefined) throw new Error(`${granted.body.holdId} is no holdId`);
    const hold = { ...ref, principal: "root" };
    expect((await verbs.locks.reenter(hold)).fence).toBe(FENCE);
    expect((await verbs.locks.renew(hold, { leaseMs: 40_000 })).fence).toBe(FENCE);
    expect(await verbs.locks.verify(hold)).toMatchObject({ held: true, fence: FENCE });

    await waitUntil(async () => (await server.call(path)).body.holders[0]?.count === 2);
    expect((await server.call(path)).body.holders[0].fence).toBe(FENCE);
    await waitUntil(async () => (await server.call(`${path}/history`)).body.items.length >= 2);
    const events: { fence: unknown }[] = (await server.call(`${path}/history`)).body.items;
    expect(new Set(events.map(({ fence }) => fence))).toEqual(new Set([FENCE]));
    expect(heard.map((message) => message.split("\t")[2])).toContain(FENCE);

    await direct.del(key);
    expect((await verbs.acquire(key, "you", { format })).fence).toBe(NEXT);
  });

  it("times are whole milliseconds of 13 digits and fencing tokens have 16 digits", async ({ verbs }) => {
    const { asOf, remainingMs, fence } = await verbs.acquire(createTestKey(), "me", { format });
    expect(String(asOf)).toMatch(/^\d{13}$/);
    expect(Number.isInteger(remainingMs)).toBe(true);
    expect(fence).toMatch(/^\d{16}$/);
  });
});
