import { describe, expect, it } from "vitest";
import { encodeKey } from "../../../lib/keys/key.ts";
import { createRawString } from "../../../test/support/raw-key.ts";
import { detectLock } from "../registry/detect-lock.ts";

const UUID = "0d5a3c1e-7b42-4f6a-9c31-5e8d2b7a4f10";
const URL_16 = "h5Gq_0ZkWcX1nP2sT8vB-w";
const ALNUM_16 = "aB3dE5fG7hJ9kL1m";

const seen = (key: string, value: string, remainingMs: number | null = 30_000) =>
  detectLock(createRawString(key, value, remainingMs), undefined);

describe("strings of unknown libraries", () => {
  it.each<[what: string, value: string | Buffer, also?: "timestamp"]>([
    ["a counter", "42"],
    ["a flag", "1"],
    ["zero", "0"],
    ["a negative number", "-1"],
    ["a fraction", "1.5"],
    ["seconds with a fraction", "1795342654.123"],
    ["a number in exponent notation", "1e9"],
    ["digits outside the range of recent times", "9999999999999"],
    ["a phone number", "1234567890"],
    ["JSON", '{"owner":"me"}'],
    ["a JSON list", "[1,2]"],
    ["free text", "held by me"],
    ["a host and a process id", "web-1 4711"],
    ["Chinese text", "订单服务"],
    ["an empty string", ""],
    ["binary data", Buffer.from([0, 1, 2, 0xff, 0xfe])],
    ["a pickle", Buffer.from("80055948656c6c6f942e", "hex")],
    ["a UUID as Jackson writes it", `"${UUID}"`],
    [
      "a UUID as the JDK serializes it",
      Buffer.concat([Buffer.from("aced0005740024", "hex"), Buffer.from(UUID)]),
    ],
    ["a string of 1024 bytes", "x".repeat(1024)],
  ])("%s is a possible lock under a lock name and under a lockable pattern", (_, value) => {
    for (const remainingMs of [null, 30_000]) {
      const named = detectLock(createRawString("shop:lock:orders", value, remainingMs), undefined);
      expect(named).toMatchObject({ format: "token", confidence: "possible", kind: "lock", remainingMs });
      expect(Buffer.from(encodeKey(named?.holders[0].token ?? "?"))).toEqual(Buffer.from(value));
      const raw = createRawString("orders:7", value, remainingMs);
      expect(detectLock(raw, undefined, "lockable")).toMatchObject({
        format: "token",
        confidence: "possible",
      });
      expect(detectLock(raw, undefined, "watched")).toBeUndefined();
    }
  });

  it("a time under a name that mentions a lock may be a deadline, and is possible", () => {
    for (const value of [String(Date.now() + 5000), String(Math.floor(Date.now() / 1000) - 5000)])
      for (const key of ["account:lock:7", "account:locked_until:7", "user:7:lock_expires", "account_lock:7"])
        expect(seen(key, value, null), key).toMatchObject({
          ...{ format: "token", confidence: "possible", candidates: expect.arrayContaining(["timestamp"]) },
        });
  });
});

describe("strings that are not locks", () => {
  it.each([
    ["a token", "clock:orders", "worker-7"],
    ["a time", "seen:orders", String(Date.now())],
    ["a process id", "pid:orders", "4711"],
    ["a UUID without a TTL", "session:orders", UUID],
    ["an id with a suffix", "session:orders", `${URL_16}abc`],
    ["sixteen letters", "session:orders", ALNUM_16],
  ])("%s under an unrelated key is not detected as a lock", (_, key, value) => {
    expect(seen(key, value, value === UUID ? null : 30_000)).toBeUndefined();
  });

  it("a string that was not read is not a lock", () => {
    const raw = createRawString("lock:orders", "x".repeat(1025));
    expect(detectLock({ ...raw, content: [] }, undefined, "lockable")).toBeUndefined();
  });
});
