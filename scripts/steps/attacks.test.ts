import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { getStageOf, judgeAttacks, listTestResults, readTestResults } from "./attacks.mjs";

const attack = (id: string, test: string, file = "a.test.ts") => ({ id, attack: "", result: "", file, test });
const vitestReport = (tests: Record<string, string>, name = "/repo/a.test.ts") => ({
  testResults: [
    { name, assertionResults: Object.entries(tests).map(([title, status]) => ({ title, status })) },
  ],
});

const judge = (tests: Record<string, string>, ...attacks: ReturnType<typeof attack>[]) =>
  judgeAttacks(attacks, listTestResults(vitestReport(tests), "/repo"));

it("attacks whose tests ran and passed are counted", () => {
  expect(judge({ one: "passed", two: "passed" }, attack("a/1", "one"), attack("a/2", "two"))).toEqual({
    summary: "attacks: 2 of 2 passed",
    unproven: 0,
  });
});

it.each([
  ["skipped", { one: "pending" }, 1],
  ["skipped", { one: "todo" }, 1],
  ["missing", { "one more": "passed" }, 1],
  ["missing", {}, 1],
  ["failed", { one: "failed" }, 0],
])("a test that is %s is named, and counted unless its stage counts it", (verdict, tests, unproven) => {
  expect(judge(tests, attack("a/1", "one"))).toEqual({
    summary: `attack a/1: ${verdict} (a.test.ts "one")\nattacks: 0 of 1 passed`,
    unproven,
  });
});

it("a test of the same title in another file proves nothing", () => {
  expect(judge({ one: "passed" }, attack("a/1", "one", "b.test.ts")).unproven).toBe(1);
});

it("all cases of a title with a placeholder must pass", () => {
  const target = attack("a/1", "a target %s (x) reaches nothing");
  const [dots, slash] = ["a target with dots (x) reaches nothing", "a target with a/b (x) reaches nothing"];
  expect(judge({ [dots]: "passed", [slash]: "passed" }, target).unproven).toBe(0);
  expect(judge({ [dots]: "passed", [slash]: "skipped" }, target).unproven).toBe(1);
  expect(judge({ [dots]: "passed", [slash]: "failed" }, target).summary).toContain("a/1: failed");
});

it("results are read from a Playwright report, where a skipped test is ok", () => {
  const spec = (title: string, ok: boolean, ...statuses: string[]) => ({
    ...{ title, ok },
    tests: statuses.map((status) => ({ status })),
  });
  const suites = [
    {
      file: "a.spec.ts",
      specs: [spec("one", true, "expected"), spec("two", true, "skipped")],
      suites: [{ file: "a.spec.ts", specs: [spec("three", false, "unexpected"), spec("four", true)] }],
    },
  ];
  expect(listTestResults({ config: { rootDir: "/repo/e2e" }, suites }, "/repo")).toEqual([
    { file: "e2e/a.spec.ts", title: "one", status: "passed" },
    { file: "e2e/a.spec.ts", title: "two", status: "skipped" },
    { file: "e2e/a.spec.ts", title: "three", status: "failed" },
    { file: "e2e/a.spec.ts", title: "four", status: "skipped" },
  ]);
});

it("a later report replaces the results of its files, and a missing one has none", () => {
  const dir = mkdtempSync(join(tmpdir(), "lockkeeper-reports-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const write = (name: string, report: object) => writeFileSync(join(dir, name), JSON.stringify(report));
  write("first", vitestReport({ one: "failed" }));
  write("other", vitestReport({ two: "passed" }, "/repo/b.test.ts"));
  write("again", vitestReport({ one: "passed" }));
  const reports = ["first", "other", "again", "none"].map((name) => join(dir, name));
  expect(readTestResults(reports, "/repo")).toEqual([
    { file: "a.test.ts", title: "one", status: "passed" },
    { file: "b.test.ts", title: "two", status: "passed" },
  ]);
});

it("each file belongs to the stage that runs it", () => {
  expect(["e2e/a.spec.ts", "server/a.integration.test.ts", "lib/a.test.ts"].map(getStageOf)).toEqual([
    "e2e",
    "integration",
    "unit",
  ]);
});
