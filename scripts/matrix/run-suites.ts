import { mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { addCleanUp, run } from "../../test/interop/children.ts";
import { readCounts } from "../steps/counts.mjs";
import { readFailedFiles } from "../steps/flaky.mjs";
import type { ProvidedServer } from "./provide-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LIMIT_MS = 30 * 60_000;
/** Maximum number of characters kept from the end of a failed run's output. */
const OUTPUT_CHARACTERS_MAX = 12_000;

/** The result of the suites on one server. */
export interface SuitesResult {
  readonly passed: number;
  /** Number of failed tests, or 1 if the run failed outside a test. */
  readonly failed: number;
  readonly skipped: number;
  readonly failedTests: readonly string[];
  /** Test files with failed tests. Also empty if the run failed outside a test or wrote no report. */
  readonly failedFiles: readonly string[];
  /** The last characters of the output of a failed run. Empty if the run succeeded. */
  readonly output: string;
}

interface VitestReport {
  readonly numPendingTests?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs test files on a server. */
export async function runSuites(
  server: ProvidedServer,
  suites: readonly string[],
  workersMax = availableParallelism() + 1,
): Promise<SuitesResult> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-matrix-"));
  const removeDir = addCleanUp(() => rm(dir, { recursive: true, force: true }));
  const report = join(dir, "report.json");
  const args = ["run", "--project", "integration*", `--maxWorkers=${workersMax}`, "--reporter=default"];
  const output = await run(
    join(ROOT, "node_modules/.bin/vitest"),
    [...args, "--reporter=json", `--outputFile.json=${report}`, ...suites],
    { cwd: ROOT, env: { ...process.env, REDIS_SERVER_BIN: server.path }, limitMs: LIMIT_MS },
  ).then(
    () => "",
    (error: unknown) => describeFailure(error),
  );
  const { passed, failed } = readCounts(report) ?? { passed: 0, failed: 0 };
  const details = { ...(await readDetails(report)), failedFiles: readFailedFiles(report, ROOT) };
  await removeDir();
  const failedAtLeast = output === "" && passed > 0 ? failed : Math.max(1, failed);
  return { passed, failed: failedAtLeast, ...details, output };
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = typeof error.cause === "string" ? error.cause : "";
  return `${said.slice(-OUTPUT_CHARACTERS_MAX)}\n${error.message}`;
}

async function readDetails(report: string): Promise<{ skipped: number; failedTests: string[] }> {
  const text = await readFile(report, "utf8").catch(() => "{}");
  const { numPendingTests = 0, testResults = [] }: VitestReport = JSON.parse(text);
  const failedTests = testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(ROOT, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (status === "failed" && failed.length === 0) return [file];
    return failed.map(({ fullName }) => `${file} > ${fullName}`);
  });
  return { skipped: numPendingTests, failedTests };
}
