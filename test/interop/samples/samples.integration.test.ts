import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SAMPLES } from "../events/watch-runners.ts";
import { findProgram } from "../steps/find.ts";
import { runKillMatrix } from "./kill-matrix.ts";
import { shellRunner, typescriptRunner } from "./runners.ts";

/** The rows that use the least CPU time. `npm run interop` runs all rows in five languages. */
const ROWS = ["sigterm", "sigkill", "renew_502", "throws", "force_release_reserved"];

const runners = findProgram("curl") === undefined ? [typescriptRunner] : [shellRunner, typescriptRunner];

it.concurrent.each(runners)(
  "$fileName excludes, stops and releases in the shortest rows of the kill matrix",
  async (runner) => {
    const results = await runKillMatrix(runner, { rows: ROWS, works: ["child"] });
    console.log(results.map(({ line }) => line).join("\n"));
    expect(results.flatMap(({ line, faults }) => faults.map((fault) => `${line}: ${fault}`))).toEqual([]);
  },
  90_000,
);

it("safe-lock.sh refuses wrong arguments before it acquires anything", () => {
  const start = (args: readonly string[], env: object = {}) =>
    spawnSync("bash", [join(SAMPLES, "safe-lock.sh"), ...args], {
      // No server listens on this port.
      env: { ...process.env, LOCKKEEPER_URL: "http://127.0.0.1:1", LOCKKEEPER_API_KEY: "lk_none", ...env },
      encoding: "utf8",
    });
  for (const args of [[], ["lock:a"]]) {
    expect(start(args)).toMatchObject({ status: 64, stderr: expect.stringContaining("usage: ") });
  }
  for (const env of [{ LEASE_S: "0.5" }, { LEASE_S: "0" }, { WAIT_S: "56" }]) {
    expect(start(["lock:a", "true"], env)).toMatchObject({
      status: 64,
      stderr: expect.stringContaining("whole number of seconds"),
    });
  }
});
