import { describe, expect } from "vitest";
import { WritableFormat } from "../../lib/contract/format.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { changeHoldId } from "../../test/support/hold-ids.ts";
import { expectSameContent, readLockContent } from "../../test/support/lock-content.ts";
import { createBearerHeader } from "../../test/support/test-server.ts";

/** The fixtures include the API keys of two applications that may lock the same keys. */
const it = serverTest()
  .extend("createApp", { scope: "file" }, ({ server }) => async (name: string) => {
    const { body } = await server.call("/keys", { body: { name, verbs: ["read", "lock"] } });
    return createBearerHeader(body.secret);
  })
  .extend("checkout", { scope: "file" }, ({ createApp }) => createApp("checkout"))
  .extend("billing", { scope: "file" }, ({ createApp }) => createApp("billing"));

const FORMATS = WritableFormat.options;

describe("a format other than that of the hold", () => {
  it.for(
    FORMATS.flatMap((held) => FORMATS.filter((other) => other !== held).map((other) => ({ held, other }))),
  )(
    "a hold in $held of another API key is neither ended nor acquired by requests in $other",
    async ({ held, other }, { server, direct, key, checkout, billing }) => {
      const hold = await server.acquire(key, { format: held }, checkout);
      const stored = held === "redisson" ? undefined : ((await direct.get(key)) ?? undefined);
      const before = await readLockContent(direct, key);
      const refused = await server.callVerb(key, "acquire", { format: other }, billing);
      expect([refused.status, refused.body.code]).toEqual([409, "not_a_lock"]);
      const unit = other === "timestamp" ? "ms" : undefined;
      const sameToken = changeHoldId(hold.holdId, { format: other, unit });
      const storedAsToken = changeHoldId(hold.holdId, { format: other, unit, token: stored ?? "x" });
      for (const headers of [billing, checkout]) {
        for (const holdId of [sameToken, storedAsToken]) {
          expect((await server.readHold({ holdId }, headers)).body.held).not.toBe(true);
          expect((await server.callHold({ holdId }, "renew", {}, headers)).body.code).toBe("lost");
          expect((await server.callHold({ holdId }, "release", {}, headers)).body).toMatchObject({
            outcome: "not_held",
          });
          const reenter = { ...headers, "idempotency-key": `${holdId.length}-reenter` };
          expect((await server.callVerb(key, "acquire", { reenter: holdId }, reenter)).body.code).toBe(
            "lost",
          );
        }
      }
      expectSameContent(await readLockContent(direct, key), before);
      expect((await server.readHold(hold, checkout)).body).toMatchObject({ held: true, fence: hold.fence });
      expect((await server.callHold(hold, "release", {}, checkout)).body).toMatchObject({
        outcome: "released",
      });
      expect((await server.callVerb(key, "acquire", { format: other }, billing)).status).toBe(201);
    },
  );

  it("an acquire in timestamp is not granted while the lease of a token in the form of a past time runs", async ({
    server,
    direct,
    key,
    billing,
  }) => {
    await direct.set(key, String(Date.now() - 1000), "PX", 20_000, "NX");
    const before = await readLockContent(direct, key);
    for (const waitMs of [0, 50]) {
      const ask = { format: "timestamp", waitMs };
      const { body } = await server.callVerb(key, "acquire", ask, billing);
      expect(body.code).toBe(waitMs === 0 ? "held" : "timeout");
      expect(body.remainingMs).toBeGreaterThan(15_000);
    }
    expectSameContent({ ...(await readLockContent(direct, key)), waiters: 0 }, before);
  });
});

describe("a reservation of a reservation", () => {
  it.for(FORMATS)(
    "%s: the lock stays reserved for the new time",
    async (format, { server, key, billing }) => {
      await server.acquire(key, { format }, billing);
      for (const reservedMs of [60_000, 600_000, 30_000]) {
        const { version } = await server.readLock(key);
        const ask = { expectedVersion: version, reason: "migration", reservedMs };
        const { body } = await server.callVerb(key, "force-release", ask);
        expect(body).toMatchObject({ outcome: "released", reserved: { reservedMs } });
        const refused = await server.callVerb(key, "acquire", { format }, billing);
        expect(refused.body).toMatchObject({
          code: "held",
          holders: [{ owner: "lockkeeper:reserve:key:root" }],
        });
        expect(refused.body.remainingMs).toBeGreaterThan(reservedMs - 5000);
        expect(refused.body.remainingMs).toBeLessThan(reservedMs + 5000);
      }
    },
  );
});
