import { describe, expect, it } from "vitest";
import { rawString } from "../../../test/support/raw-key.ts";
import { recognise } from "../registry/detect-lock.ts";

const UUID = "0d5a3c1e-7b42-4f6a-9c31-5e8d2b7a4f10";
const URL_16 = "h5Gq_0ZkWcX1nP2sT8vB-w";
const ALNUM_16 = "aB3dE5fG7hJ9kL1m";

const seen = (key: string, value: string, remainingMs: number | null = 30_000) =>
  recognise(rawString(key, value, remainingMs), undefined);

describe("a string that is no lock", () => {
  it.each([
    ["a counter", "lock:orders", "42"],
    ["a flag", "lock:orders", "1"],
    ["a negative number", "lock:orders", "-1"],
    ["a fraction", "lock:orders", "1.5"],
    ["a number with an exponent", "lock:orders", "1e9"],
    ["digits that are no time of these years", "lock:orders", "9999999999999"],
    ["a phone number", "lock:orders", "1234567890"],
    ["JSON", "lock:orders", '{"owner":"me"}'],
    ["a list", "lock:orders", "[1,2]"],
    ["a text", "lock:orders", "held by me"],
    ["nothing", "lock:orders", ""],
    ["bytes", "lock:orders", "\u0000\u0001\u0002"],
    ["much", "lock:orders", "x".repeat(101)],
    ["a token under another name", "clock:orders", "worker-7"],
    ["a time under another name", "seen:orders", String(Date.now())],
    ["a process under another name", "pid:orders", "4711"],
    ["a token without end under another name", "session:orders", UUID],
    ["an id with more under another name", "session:orders", `${URL_16}abc`],
    ["sixteen letters under another name", "session:orders", ALNUM_16],
  ])("%s", (_, key, value) => {
    expect(seen(key, value, value === UUID ? null : 30_000)).toBeUndefined();
  });

  it.each(["clock:a", "block:a", "unlock:a", "stock", "flock:a", "leaderboard:a", "please:a", "lockers:a"])(
    "%s is no name of a lock",
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
  ])("%s is one", (key) => expect(seen(key, "worker-7")?.confidence).toBe("possible"));
});
