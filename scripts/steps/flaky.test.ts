import { expect, it } from "vitest";
import { listFailedFiles, refuseRerun } from "./flaky.mjs";

it("failed files are read from a vitest report, each once and relative to the root", () => {
  const testResults = [
    { name: "/repo/server/watch/a.test.ts", status: "failed" },
    { name: "/repo/server/watch/b.test.ts", status: "passed" },
  ];
  expect(listFailedFiles({ testResults }, "/repo")).toEqual(["server/watch/a.test.ts"]);
});

it("failed files are read from a Playwright report, also from nested suites", () => {
  const suites = [
    { file: "a.spec.ts", specs: [{ ok: true }], suites: [{ file: "a.spec.ts", specs: [{ ok: false }] }] },
    { file: "b.spec.ts", specs: [{ ok: true }] },
  ];
  expect(listFailedFiles({ config: { rootDir: "/repo/e2e" }, suites }, "/repo")).toEqual(["e2e/a.spec.ts"]);
});

it("no file runs again after an error outside a test", () => {
  const suites = [{ file: "a.spec.ts", specs: [{ ok: false }] }];
  expect(listFailedFiles({ suites, errors: [{ message: "no server" }] }, "/repo")).toEqual([]);
});

it.each([
  [["e2e/a.spec.ts", "server/api/b.test.ts"], undefined],
  [["a", "b", "c"], "3 test files failed; at most 2 are rerun"],
  [
    ["server/locks/x.test.ts"],
    "server/locks/x.test.ts covers the lock core or the formats and is never rerun",
  ],
  [
    ["test/hazards/y.test.ts"],
    "test/hazards/y.test.ts covers the lock core or the formats and is never rerun",
  ],
])("the files %j may run again unless %j", (files, reason) => {
  expect(refuseRerun(files)).toBe(reason);
});
