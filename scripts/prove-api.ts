/**
 * Sends generated requests to every operation of the API and validates each response against the OpenAPI document.
 * `npm run prove:api [-- --seconds N] [--seed N] [--allow-skipped]`
 *
 * The last line is "N passed, N failed". Without Python, the run counts as failed unless `--allow-skipped` is given.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { addCleanUp, endAll, endWhenInterrupted, run } from "../test/interop/children.ts";
import { formatReason, Skip } from "../test/interop/skip.ts";
import { type PythonTool, provideSchemathesis } from "../test/interop/steps/python.ts";
import { startTestServer } from "../test/support/test-server.ts";
import { keepSeeds } from "./prove/api-seeds.ts";
import { check, summary } from "./prove/checks.mjs";

const HOOKS = fileURLToPath(new URL("prove/api_hooks.py", import.meta.url));
/** Operations that are not tested. They return endless streams, and schemathesis reads every response to its end. */
const EXCLUDED = ["streamEvents", "streamLive"];
const CHECKS =
  "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,lines_conform";
/**
 * The titles of the checks and the types of schemathesis findings that each one covers. The last check covers all
 * remaining types.
 */
const KINDS: readonly (readonly [title: string, types: RegExp])[] = [
  ["no 5xx", /ServerError/],
  ["every status is documented", /StatusCode/],
  ["every content type is documented", /ContentType|MediaType/],
  ["headers are as documented", /Headers/],
  ["bodies match their schemas", /^/],
];
const OUTPUT_CHARACTERS_MAX = 12_000;
/** Time added to the duration of the run for startup and the last requests, in milliseconds. */
const REST_MS = 120_000;

interface Failures {
  readonly type: string;
  readonly count: number;
}

interface Report {
  readonly running_time: number;
  readonly operations: { readonly total: number; readonly tested: number; readonly errored: number };
  readonly test_cases: { readonly generated: number; readonly with_failures: number };
  readonly failures: readonly Failures[];
  readonly errors: readonly { readonly count: number }[];
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string" },
    "allow-skipped": { type: "boolean", default: false },
  },
});

async function prove(tool: PythonTool): Promise<void> {
  const server = await startTestServer({
    environment: { LOCKKEEPER_RATE_LIMIT: "off", LOCKKEEPER_LOCKABLE: "*" },
  });
  addCleanUp(() => server.stop());
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-prove-api-"));
  addCleanUp(() => rm(dir, { recursive: true, force: true }));
  const seeds = join(dir, "seeds.json");
  addCleanUp(await keepSeeds(server, seeds));
  const output = await runSchemathesis(tool, { url: server.url, dir, seeds });
  const report = await readReport(dir);
  if (report === undefined || report.failures.length + report.errors.length > 0) {
    console.log(output.slice(-OUTPUT_CHARACTERS_MAX));
  }
  if (report === undefined) throw new Error("schemathesis wrote no report: see above");
  await checkReport(report);
}

/** Runs schemathesis with the seeds against the server and returns its output. */
async function runSchemathesis(
  { python, library }: PythonTool,
  { url, dir, seeds }: { url: string; dir: string; seeds: string },
): Promise<string> {
  const options = {
    "--checks": CHECKS,
    "--max-time": values.seconds,
    // Hypothesis reads its own source, which fails with two concurrent threads in some versions of Python.
    "--workers": "1",
    // scripts/prove/api_hooks.py adds credentials.
    "--generation-with-security-parameters": "false",
    "--generation-database": "none",
    "--report": "json",
    "--report-dir": dir,
    ...(values.seed === undefined ? {} : { "--seed": values.seed }),
  };
  const args = [
    ...["-m", "schemathesis.cli", "run", `${url}/api/v1/openapi.json`, "--continue-on-failure", "--no-color"],
    ...EXCLUDED.flatMap((id) => ["--exclude-operation-id", id]),
    ...Object.entries(options).flat(),
  ];
  const env = {
    ...process.env,
    PYTHONPATH: [library, process.env.PYTHONPATH ?? ""].filter((path) => path !== "").join(delimiter),
    SCHEMATHESIS_HOOKS: HOOKS,
    PROVE_API_SEEDS: seeds,
  };
  const limitMs = Number(values.seconds) * 1000 + REST_MS;
  return await run(python, args, { cwd: dir, env, limitMs }).catch((error: unknown) =>
    error instanceof Error ? `${error.message}\n${error.cause}` : String(error),
  );
}

async function readReport(dir: string): Promise<Report | undefined> {
  const name = (await readdir(dir)).find((file) => /^json-.*\.json$/.test(file));
  return name === undefined ? undefined : JSON.parse(await readFile(join(dir, name), "utf8"));
}

async function checkReport({ operations, test_cases, failures, errors, ...report }: Report): Promise<void> {
  const seconds = report.running_time.toFixed(0);
  console.log(
    `${test_cases.generated} requests in ${seconds} s, ${test_cases.with_failures} of them with faults`,
  );
  const findKind = ({ type }: Failures) => KINDS.find(([, types]) => types.test(type))?.[0];
  for (const [title] of KINDS) {
    const found = failures.filter((failure) => findKind(failure) === title);
    await check(title, () => expectNone(sumCounts(found), "faults"));
  }
  await check("every request was answered", () => expectNone(sumCounts(errors), "errors"));
  await check("every operation but the streams was called", () => {
    const { tested, total } = operations;
    if (tested !== total - EXCLUDED.length) throw new Error(`${tested} of ${total}`);
    return `${tested} of ${total}`;
  });
}

function sumCounts(all: readonly { readonly count: number }[]): number {
  return all.reduce((sum, { count }) => sum + count, 0);
}

function expectNone(count: number, what: string): string {
  if (count > 0) throw new Error(`${count} ${what}`);
  return `0 ${what}`;
}

async function main(): Promise<void> {
  try {
    await prove(await provideSchemathesis());
  } catch (error) {
    if (error instanceof Skip) {
      console.log(`prove:api: skipped (${formatReason(error)})`);
      if (values["allow-skipped"]) return;
    } else {
      console.error(error);
    }
    await check("the run ends", () => Promise.reject(error));
  }
}

endWhenInterrupted();
await main();
await endAll();
const { line, ok } = summary();
console.log(line);
process.exit(ok ? 0 : 1);
