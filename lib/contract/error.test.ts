import { describe, expect, it } from "vitest";
import { ERROR_CODES, Problem, STATUS_OF_CODE, TITLE_OF_CODE } from "./error.ts";

describe.each(ERROR_CODES)("%s", (code) => {
  it("has a status that says failure", () => {
    expect(STATUS_OF_CODE[code]).toBeGreaterThanOrEqual(400);
    expect(STATUS_OF_CODE[code]).toBeLessThanOrEqual(599);
  });

  it("has a title in words", () => {
    expect(TITLE_OF_CODE[code]).toMatch(/^[A-Z].+[^.]$/);
  });
});

describe("the set of errors", () => {
  it("is the same in the status map and in the titles", () => {
    expect(Object.keys(TITLE_OF_CODE).sort()).toEqual([...ERROR_CODES].sort());
    expect(Object.keys(STATUS_OF_CODE).sort()).toEqual([...ERROR_CODES].sort());
  });

  it("has a title of its own for each", () => {
    expect(new Set(Object.values(TITLE_OF_CODE)).size).toBe(ERROR_CODES.length);
  });

  it("answers 503 exactly where trying again may help, and keeps the cases apart", () => {
    const retryable = ERROR_CODES.filter((code) => STATUS_OF_CODE[code] === 503);
    expect(retryable).toEqual(["unavailable", "not_replicated", "unknown_outcome"]);
  });
});

describe("a problem document", () => {
  const held = {
    type: "https://lockkeeper.dev/problems/held",
    title: TITLE_OF_CODE.held,
    status: STATUS_OF_CODE.held,
    code: "held",
    detail: 'It is held by "b".',
  };

  it("keeps the facts beside its fixed members", () => {
    expect(Problem.parse({ ...held, remainingMs: 20 })).toEqual({ ...held, remainingMs: 20 });
  });

  it("has a code of the set and a failure's status", () => {
    expect(Problem.safeParse({ ...held, code: "no_such_code" }).success).toBe(false);
    expect(Problem.safeParse({ ...held, status: 200 }).success).toBe(false);
  });
});
