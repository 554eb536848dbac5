import { describe, expect, it, test } from "vitest";
import { ERROR_CODES } from "../error.ts";
import { describeAllProblems, describeProblem, isErrorCode } from "./describe-problem.ts";
import { formatProblemDocs } from "./format-problem-docs.ts";
import { createProblemExample, createProblemSchema } from "./problem-catalogue.ts";

describe.each(ERROR_CODES)("problem %s", (code) => {
  const problem = describeProblem(code, "/tools/locks");

  it("has an example that its schema accepts, with the base path in its type", () => {
    expect(createProblemSchema(code).strict().parse(problem.example)).toEqual(problem.example);
    expect(problem.example.type).toBe(`/tools/locks/problems/${code}`);
  });

  it("is documented in sentences, and so is each of its fields", () => {
    const sentences = [problem.meaning, problem.remedy];
    for (const text of sentences) expect(text).toMatch(/^[A-Z`].*\.$/);
    for (const { name, description } of problem.fields) expect(description, name).toMatch(/^[\w`'].*\.$/);
  });

  it("the example has every required field", () => {
    const required = problem.fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect(Object.keys(createProblemExample(code))).toEqual(expect.arrayContaining(required));
  });

  it("a problem that permits a retry states when, or with what", () => {
    if (problem.hasRetryAfter) expect(["never", "after_change"]).not.toContain(problem.retry);
    if (problem.outcome === "unknown") expect(problem.retry).toBe("same_idempotency_key");
  });
});

test("a code of the prototype is not an error code", () => {
  expect(["held", "toString", "Held", ""].map(isErrorCode)).toEqual([true, false, false, false]);
});

test("docs/problems.md is what the catalogue says; update it with `vitest -u`", async () => {
  await expect(formatProblemDocs(describeAllProblems(""))).toMatchFileSnapshot("../../../docs/problems.md");
});
