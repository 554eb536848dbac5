import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { countServers, formatOutcome, formatTable, type ServerResult } from "./report.ts";
import { SERVERS } from "./servers.ts";
import { listSuites } from "./suites.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const PASSED: ServerResult = {
  outcome: "passed",
  name: "redis-7.0",
  version: "7.0.15",
  passed: 2170,
  failed: 0,
  skipped: 1,
  seconds: 161.6,
};
const RESULTS: readonly ServerResult[] = [
  PASSED,
  { ...PASSED, outcome: "failed", name: "valkey-9.1", version: "9.1.2", passed: 9, failed: 12, seconds: 5 },
  { outcome: "skipped", name: "redis-8.0", reason: "no apt-get on this machine" },
];

it("every server has a line with its outcome and a row in the table", () => {
  expect(RESULTS.map(formatOutcome)).toEqual([
    "redis-7.0: passed",
    "valkey-9.1: failed",
    "redis-8.0: skipped (no apt-get on this machine)",
  ]);
  expect(formatTable(RESULTS)).toBe(
    [
      "server      version  passed  failed  skipped  seconds",
      "redis-7.0   7.0.15     2170       0        1      162",
      "valkey-9.1  9.1.2         9      12        1        5",
      "redis-8.0   -             -       -        -        -",
    ].join("\n"),
  );
});

it("a server that is not available fails the matrix unless skipping is allowed", () => {
  expect(countServers(RESULTS, "fails")).toEqual({ passed: 1, failed: 2 });
  expect(countServers(RESULTS, "allowed")).toEqual({ passed: 1, failed: 1 });
  expect(countServers([PASSED], "fails")).toEqual({ passed: 1, failed: 0 });
});

it("every suite of the matrix is the beginning of the path of a test file", () => {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "*.integration.test.ts"];
  const files = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n");
  const suites = SERVERS.flatMap(({ variant }) =>
    (["full", "quick"] as const).flatMap((extent) => listSuites(variant, extent)),
  );
  const missing = suites.filter((suite) => !files.some((file) => file.startsWith(suite)));
  expect([...new Set(missing)]).toEqual([]);
});
