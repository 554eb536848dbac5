import { describe, expect, it } from "vitest";
import { ERROR_CODES, STATUS_OF_CODE, TITLE_OF_CODE } from "../../../lib/contract/error.ts";
import { hasRetryAfter } from "../../../lib/contract/problems/problem-catalogue.ts";
import * as lockErrors from "../../errors/lock-errors.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import * as operatorErrors from "../../errors/operator-errors.ts";
import * as redisErrors from "../../errors/redis-errors.ts";
import * as requestErrors from "../../errors/request-errors.ts";
import { toProblem, toProblemResponse } from "./problem.ts";

type ErrorClass = new (detail: string, facts: object) => LockkeeperError;

const ERRORS = Object.values({ ...lockErrors, ...operatorErrors, ...redisErrors, ...requestErrors }).map(
  (known) => new (known as unknown as ErrorClass)("Why.", {}),
);

describe.each(ERROR_CODES)("problem response of %s", (code) => {
  const error = ERRORS.find((each) => each.code === code);

  it("has the documented status, title and type, and Retry-After only if documented", () => {
    const { status, headers, body } = toProblemResponse(error, "/tools/locks", "r-1");
    expect(JSON.parse(String(body))).toEqual({
      type: `/tools/locks/problems/${code}`,
      title: TITLE_OF_CODE[code],
      status,
      code,
      detail: "Why.",
      requestId: "r-1",
    });
    expect(status).toBe(STATUS_OF_CODE[code]);
    expect("retry-after" in headers).toBe(hasRetryAfter(code));
  });
});

describe("problem response", () => {
  it("the type has no host, so that it leads to the server that responded", () => {
    expect(toProblem(new lockErrors.HeldError("Why.", {} as never), "").type).toBe("/problems/held");
  });

  it("an aborted wait gets no document", () => {
    const response = toProblemResponse(new lockErrors.AbortedError("The wait was cancelled."), "");
    expect(response).toEqual({ status: 499, headers: {} });
  });

  it("the message of an unknown error is not sent", () => {
    const { status, body } = toProblemResponse(new Error("secret"), "");
    expect([status, String(body).includes("secret")]).toEqual([500, false]);
  });
});
