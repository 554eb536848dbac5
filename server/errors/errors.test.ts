import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../lib/contract/error.ts";
import * as lockErrors from "./lock-errors.ts";
import { LockkeeperError } from "./lockkeeper-error.ts";
import * as operatorErrors from "./operator-errors.ts";
import * as redisErrors from "./redis-errors.ts";
import * as requestErrors from "./request-errors.ts";

const { HeldError } = lockErrors;
const { UnavailableError } = redisErrors;

type Thrown = new (detail: string, facts: object) => LockkeeperError;

const THROWN = Object.values({ ...lockErrors, ...operatorErrors, ...redisErrors, ...requestErrors })
  .filter((known) => known !== LockkeeperError)
  .map((known) => new (known as unknown as Thrown)("Why.", {}));

const HELD = { key: "lock:a", holders: [{ owner: "b", count: 1, fence: "7" }], remainingMs: 20, asOf: 1 };

describe("error classes", () => {
  it("there is one error class per code, and all extend LockkeeperError", () => {
    expect(THROWN.map(({ code }) => code).sort()).toEqual([...ERROR_CODES, "aborted"].sort());
    expect(THROWN.filter((error) => !(error instanceof LockkeeperError))).toEqual([]);
  });

  it("an error's string form starts with its class name", () => {
    expect(String(new HeldError('It is held by "b".', HELD))).toBe('HeldError: It is held by "b".');
  });

  it("an error gives typed access to its facts", () => {
    const error: unknown = new HeldError('It is held by "b".', HELD);
    const holders = error instanceof HeldError ? error.facts.holders : [];
    expect(holders.map(({ owner }) => owner)).toEqual(["b"]);
  });

  it("an error keeps its cause", () => {
    const cause = new Error("connection lost");
    expect(new UnavailableError("Redis cannot take this now.", { cause })).toMatchObject({
      cause,
      facts: {},
    });
  });
});
