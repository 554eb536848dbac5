import { expect, it } from "vitest";
import { decodeKey } from "../keys/key.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";

function createClient(value: unknown): LockkeeperClient {
  const send = async () => Response.json(value);
  return new LockkeeperClient({ url: "http://locks.example", apiKey: "lk_a", fetch: send as typeof fetch });
}

const HOLD = {
  holdId: "h1.a",
  fence: "7",
  format: "redisson",
  count: 1,
  leaseMs: 60_000,
  remainingMs: 60_000,
};

it("a grant of another key is an unexpected response", async () => {
  for (const value of [
    HOLD,
    { ...HOLD, key: "lock:b" },
    { ...HOLD, key: "lock:a", keyBase64: "bG9jazph/w==" },
  ]) {
    await expect(createClient(value).acquire("lock:a")).rejects.toMatchObject({
      code: "unexpected_response",
    });
    const several = createClient({ holds: [value] }).acquireAll(["lock:a"]);
    await expect(several).rejects.toMatchObject({ code: "unexpected_response" });
  }
  const granted = await createClient({ ...HOLD, key: "lock:a" }).acquire("lock:a", { renewal: "manual" });
  expect([granted.key, granted.fence]).toEqual(["lock:a", "7"]);
});

it("a grant of a key that is not valid UTF-8 is compared by its bytes", async () => {
  const key = decodeKey(Uint8Array.of(0x61, 0xff));
  const granted = createClient({ ...HOLD, key: "a\ufffd", keyBase64: "Yf8=" }).acquire(key, {
    renewal: "manual",
  });
  expect((await granted).key).toBe(key);
  const other = createClient({ ...HOLD, key: "a\ufffd", keyBase64: "Yf4=" }).acquire(key);
  await expect(other).rejects.toMatchObject({ code: "unexpected_response" });
});

it("a response without permits is an unexpected response", async () => {
  for (const value of [
    {},
    { available: 1 },
    { available: "1", acquired: 2 },
    { available: 1.5, acquired: 2 },
  ])
    await expect(createClient(value).setLimit("lock:a", 3)).rejects.toMatchObject({
      code: "unexpected_response",
    });
  const permits = createClient({ available: -1, acquired: 4 });
  expect(await permits.setLimit("lock:a", 3)).toEqual({ limit: 3, available: -1, acquired: 4 });
});
