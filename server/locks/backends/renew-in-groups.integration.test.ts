import { expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { openBackend } from "./open-backend.ts";

const it = locksTest();

it("a hold that Redis refuses to renew does not affect the other holds of its group", async ({
  env,
  direct,
  acquire,
}) => {
  const holds = [
    await acquire(createTestKey("lock:open"), "me"),
    await acquire(createTestKey("lock:closed"), "me"),
    await acquire(createTestKey("lock:open"), "me"),
  ].map((hold) => ({ ...hold, leaseMs: 60_000 }));
  await direct.call("ACL", "SETUSER", "app", "on", ">secret", "+@all", "&*", "~*lock:open:*");
  const backend = await openBackend(`redis://app:secret@127.0.0.1:${env.redis.port}`, ["lock:*"]);
  const renewed = await backend.renewMany(holds, 2000);
  backend.close();
  expect(renewed).toEqual([expect.any(Number), undefined, expect.any(Number)]);
  expect(await direct.pttl(String(holds[2]?.key))).toBeGreaterThan(50_000);
});
