import { z } from "zod";
import {
  buildProblem,
  buildProblemType,
  type ErrorCode,
  type Problem,
  STATUS_OF_CODE,
  TITLE_OF_CODE,
} from "../error.ts";
import { LOCK_PROBLEMS } from "./lock-problems.ts";
import type { ProblemKind } from "./problem-kind.ts";
import { REQUEST_PROBLEMS } from "./request-problems.ts";
import { SERVER_PROBLEMS } from "./server-problems.ts";

/**
 * The documentation of every error code. The OpenAPI document, the problem pages and docs/problems.md are generated
 * from this table.
 */
export const PROBLEM_OF_CODE = {
  ...REQUEST_PROBLEMS,
  ...LOCK_PROBLEMS,
  ...SERVER_PROBLEMS,
} as const satisfies Record<ErrorCode, ProblemKind>;

/** Returns whether a response with this code has the `Retry-After` header. */
export function hasRetryAfter(code: ErrorCode): boolean {
  const kind: ProblemKind = PROBLEM_OF_CODE[code];
  return kind.sendsRetryAfter ?? false;
}

/** Returns the name of the schema for a code, such as `NotALockProblem` for `not_a_lock`. */
export function getProblemSchemaName(code: ErrorCode): string {
  const words = code.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Problem`;
}

/** Creates the schema of the complete problem document for a code. */
export function createProblemSchema(code: ErrorCode) {
  const { meaning, remedy, facts } = PROBLEM_OF_CODE[code];
  return z
    .object({
      type: z.string().meta({
        description: "URL of the page that documents the code, relative to the URL of the request.",
        example: buildProblemType(code, ""),
      }),
      title: z.string().meta({ example: TITLE_OF_CODE[code] }),
      status: z.int().min(400).max(599).meta({ example: STATUS_OF_CODE[code] }),
      code: z.enum([code]),
      detail: z.string().meta({ description: "What happened in this case, and what to do." }),
      requestId: z
        .string()
        .optional()
        .meta({ description: "The value of the `x-request-id` header, which is also in the server's log." }),
      ...facts,
    })
    .meta({ id: getProblemSchemaName(code), description: `${meaning} ${remedy}` });
}

/**
 * Creates an example problem document for a code, as the server sends it.
 *
 * @param basePath the path at which the server is mounted
 */
export function createProblemExample(code: ErrorCode, basePath = ""): Problem {
  const { detail, ...facts } = PROBLEM_OF_CODE[code].example;
  return buildProblem({ code, detail, facts, requestId: "5f3a91c2-17" }, basePath);
}
