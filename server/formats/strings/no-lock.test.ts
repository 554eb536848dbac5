import { describe, expect, it } from "vitest";
import { createRawString } from "../../../test/support/raw-key.ts";
import { detectLock } from "../registry/detect-lock.ts";

const UUID = "0d5a3c1e-7b42-4f6a-9c31-5e8d2b7a4f10";
const URL_16 = "h5Gq_0ZkWcX1nP2sT8vB-w";
const ALNUM_16 = "aB3dE5fG7hJ9kL1m";

const seen = (key: string, value: string, remainingMs: number | null = 30_000) =>
  detectLock(createRawString(key, value, remainingMs), undefined);

describe("strings that are not locks", () => {
  it.each([
    ["a counter", "lock:orders", "42"],
    ["a flag", "lock:orders", "1"],
    ["a negative number", "lock:orders", "-1"],
    ["a fraction", "lock:orders", "1.5"],
    ["a number in exponent notation", "lock:orders", "1e9"],
    ["digits outside the range of recent times", "lock:orders", "9999999999999"],
    ["a phone number", "lock:orders", "1234567890"],
    ["JSON", "lock:orders", '{"owner":"me"}'],
    ["a JSON list", "lock:orders", "[1,2]"],
    ["free text", "lock:orders", "held by me"],
    ["an empty string", "lock:orders", ""],
    ["binary data", "lock:orders", "\u0000\u0001\u0002"],
    ["a string of 101 characters", "lock:orders", "x".repeat(101)],
    ["a token under an unrelated key", "clock:orders", "worker-7"],
    ["a time under an unrelated key", "seen:orders", String(Date.now())],
    ["a process id under an unrelated key", "pid:orders", "4711"],
    ["a UUID without a TTL under an unrelated key", "session:orders", UUID],
    ["an id with a suffix under an unrelated key", "session:orders", `${URL_16}abc`],
    ["sixteen letters under an unrelated key", "session:orders", ALNUM_16],
  ])("%s is not detected as a lock", (_, key, value) => {
    expect(seen(key, value, value === UUID ? null : 30_000)).toBeUndefined();
  });

  it.each(["clock:a", "block:a", "unlock:a", "stock", "flock:a", "leaderboard:a", "please:a", "lockers:a"])(
    "%s is not a lock name",
    (key) => expect(seen(key, "worker-7")).toBeUndefined(),
  );

  it.each([
    "lock:a",
    "a:lock",
    "a.Lock",
    "orderLock",
    "orderLOCK",
    "lockOrder",
    "LOCK_A",
    "a-mutex-b",
    "a/lease",
    "leader",
    "lock42",
    "distLock7",
  ])("%s is a lock name", (key) => expect(seen(key, "worker-7")?.confidence).toBe("possible"));
});
