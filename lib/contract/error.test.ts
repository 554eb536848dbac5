import { describe, expect, it } from "vitest";
import { ERROR_CODES, Problem, STATUS_OF_CODE, TITLE_OF_CODE } from "./error.ts";

describe.each(ERROR_CODES)("error code %s", (code) => {
  it("an error code has a 4xx or 5xx status", () => {
    expect(STATUS_OF_CODE[code]).toBeGreaterThanOrEqual(400);
    expect(STATUS_OF_CODE[code]).toBeLessThanOrEqual(599);
  });

  it("an error code has a title in words", () => {
    expect(TITLE_OF_CODE[code]).toMatch(/^[A-Z].+[^.]$/);
  });
});

describe("error codes", () => {
  it("the status map and the titles cover the same error codes", () => {
    expect(Object.keys(TITLE_OF_CODE).sort()).toEqual([...ERROR_CODES].sort());
    expect(Object.keys(STATUS_OF_CODE).sort()).toEqual([...ERROR_CODES].sort());
  });

  it("every error code has its own title", () => {
    expect(new Set(Object.values(TITLE_OF_CODE)).size).toBe(ERROR_CODES.length);
  });

  it("exactly the retryable error codes have status 503", () => {
    const retryable = ERROR_CODES.filter((code) => STATUS_OF_CODE[code] === 503);
    expect(retryable).toEqual(["unavailable", "not_replicated", "unknown_outcome"]);
  });
});

describe("problem document", () => {
  const held = {
    type: "/problems/held",
    title: TITLE_OF_CODE.held,
    status: STATUS_OF_CODE.held,
    code: "held",
    detail: 'It is held by "b".',
  };

  it("a problem document keeps additional members", () => {
    expect(Problem.parse({ ...held, remainingMs: 20 })).toEqual({ ...held, remainingMs: 20 });
  });

  it("a problem document with an unknown code or a success status is invalid", () => {
    expect(Problem.safeParse({ ...held, code: "no_such_code" }).success).toBe(false);
    expect(Problem.safeParse({ ...held, status: 200 }).success).toBe(false);
  });
});
