import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Semaphore } from "../../../server/concurrency/semaphore.ts";
import { ROOT_KEY, startTestServer, type TestServer } from "../../support/test-server.ts";
import { run } from "../children.ts";
import { SampleCopy } from "./copy.ts";
import { LockWatch } from "./lock-watch.ts";
import { runWithin } from "./pace.ts";
import { readLog } from "./row-log.ts";
import { LEASE_MS, ROWS, type Row } from "./rows.ts";
import { type MatrixContext, type RowResult, runRow } from "./run-row.ts";
import { type PreparedSample, prepareSample, type SampleRunner, type Work } from "./sample-runner.ts";

const EXAMPLE_MS = 30_000;
const STARTS_AT_ONCE = 2;

export interface MatrixOptions {
  /** Path of the program to test instead of the file in `public/samples`. */
  readonly path?: string | undefined;
  /** Names of the rows to run; all rows by default. */
  readonly rows?: readonly string[] | undefined;
  readonly works?: readonly string[] | undefined;
  /**
   * Whether to repeat rows that failed without violating mutual exclusion, one at a time. The result line of such a row
   * mentions the second run.
   */
  readonly rerunsAlone?: boolean;
}

/**
 * Runs the rows of a sample at the same time, as far as `rowsAtOnce` permits, and then the unchanged file.
 *
 * @returns one result per row and work, and two for the unchanged file if all rows were selected
 */
export async function runKillMatrix(
  runner: SampleRunner,
  { path, rows, works, rerunsAlone = false }: MatrixOptions = {},
): Promise<RowResult[]> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-samples-"));
  const server = await startTestServer();
  try {
    const sample = await prepareSample(runner, dir, path);
    const keyPrefix = `lock:sample:${randomUUID()}:`;
    const watch = await LockWatch.start(server.redis, keyPrefix, LEASE_MS);
    const starts = new Semaphore(STARTS_AT_ONCE);
    const context: MatrixContext = { server, watch, dir, keyPrefix, starts };
    const chosen = ROWS.filter(({ name }) => rows === undefined || rows.includes(name)).flatMap((row) =>
      listWorks(row, runner)
        .filter((work) => works === undefined || works.includes(work))
        .map((work) => ({ row, work })),
    );
    const places = new Semaphore(runner.rowsAtOnce ?? chosen.length);
    const results = await Promise.all(
      chosen.map(({ row, work }) => runWithin(places, () => runRow(context, sample, work, row))),
    );
    for (const [index, { row, work }] of rerunsAlone ? chosen.entries() : []) {
      const result = results[index];
      if (result === undefined || result.faults.length === 0 || result.isUnsafe) continue;
      const again = await runRow(context, sample, work, row);
      results[index] = { ...again, line: `${again.line} (second run, alone)` };
    }
    const others =
      rows === undefined ? [await runExample(sample, server), await runRefused(sample, server)] : [];
    return [...results, ...others];
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Lists the kinds of work for a row. If the runner supports none of those of the row, returns the runner's first one.
 */
function listWorks(row: Row, runner: SampleRunner): readonly Work[] {
  const common = row.works.filter((work) => runner.works.includes(work));
  return common.length > 0 ? common : runner.works.slice(0, 1);
}

/** Runs the file unchanged, as a reader downloads it. */
async function runExample({ runner, unchanged }: PreparedSample, { url }: TestServer): Promise<RowResult> {
  const [command, ...args] = runner.exampleCommand(unchanged, "lock:sample:example");
  const output = await run(command, args, {
    cwd: unchanged,
    env: { ...process.env, LOCKKEEPER_URL: url, LOCKKEEPER_API_KEY: ROOT_KEY },
    limitMs: EXAMPLE_MS,
  });
  const steps = new Set([...output.matchAll(/step (\d) with fence \d+/g)].map(([, step]) => step)).size;
  const faults = steps === 5 ? [] : [`the unchanged file printed:\n${output}`];
  return { line: `${runner.fileName} unchanged: ${steps} steps`, faults, isUnsafe: false };
}

/**
 * Runs the sample while another client holds the lock for longer than the sample waits. The sample must not do any
 * work.
 */
async function runRefused(sample: PreparedSample, server: TestServer): Promise<RowResult> {
  const key = `lock:sample:refused:${randomUUID()}`;
  await server.acquire(key, { leaseMs: 60_000 });
  const logFile = join(sample.driven, "refused.log");
  const copy = new SampleCopy(sample, {
    run: randomUUID(),
    copy: 1,
    url: server.url,
    apiKey: ROOT_KEY,
    key,
    leaseMs: LEASE_MS,
    waitMs: 1000,
    work: sample.runner.works[0] ?? "steps",
    workMs: 1000,
    end: "complete",
    logFile,
    isFenced: false,
  });
  await copy.ended;
  const worked = (await readLog(logFile)).length;
  const isRight = copy.status === 75 && worked === 0 && copy.output.includes("not acquired: ");
  const line = `${sample.runner.fileName} refused: ${worked} lines, status ${copy.status}`;
  return { line, faults: isRight ? [] : [copy.output], isUnsafe: worked > 0 };
}
