import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT_KEY, startTestServer } from "../../support/test-server.ts";
import { run } from "../children.ts";
import { LockWatch } from "./lock-watch.ts";
import { ROWS } from "./rows.ts";
import { type MatrixContext, type RowResult, runRow } from "./run-row.ts";
import { type PreparedSample, prepareSample, type SampleRunner } from "./sample-runner.ts";

const EXAMPLE_MS = 30_000;
/** Between the starts of two rows, so that they do not all compile and act at the same time. */
const STAGGER_MS = 150;

export interface MatrixOptions {
  /** Replaces the file of `public/samples`. */
  readonly path?: string | undefined;
  /** Runs these rows only. */
  readonly rows?: readonly string[] | undefined;
  readonly works?: readonly string[] | undefined;
}

/** Runs all rows of a sample at once, and the unchanged file. @returns one result per row */
export async function runKillMatrix(
  runner: SampleRunner,
  { path, rows, works }: MatrixOptions = {},
): Promise<RowResult[]> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-samples-"));
  const server = await startTestServer();
  try {
    const sample = await prepareSample(runner, dir, path);
    const keyPrefix = `lock:sample:${randomUUID()}:`;
    const watch = await LockWatch.start(server.redis, keyPrefix);
    const context: MatrixContext = { server, watch, dir, keyPrefix };
    const chosen = ROWS.filter(({ name }) => rows === undefined || rows.includes(name)).flatMap((row) =>
      row.works
        .filter((work) => runner.works.includes(work) && (works === undefined || works.includes(work)))
        .map((work) => ({ row, work })),
    );
    const running = chosen.map(async ({ row, work }, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * STAGGER_MS));
      return await runRow(context, sample, work, row);
    });
    const results = await Promise.allSettled(running);
    const example = await runExample(sample, server.url);
    return [...results.map(toResult), example];
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

function toResult(settled: PromiseSettledResult<RowResult>): RowResult {
  if (settled.status === "fulfilled") return settled.value;
  const message = String(settled.reason?.message ?? settled.reason);
  return { line: message.split("\n")[0] ?? "", faults: [message] };
}

/** Runs the file as a reader downloads it. */
async function runExample({ runner, unchanged }: PreparedSample, url: string): Promise<RowResult> {
  const [command, ...args] = runner.exampleCommand(unchanged, "lock:sample:example");
  const output = await run(command, args, {
    cwd: unchanged,
    env: { ...process.env, LOCKKEEPER_URL: url, LOCKKEEPER_API_KEY: ROOT_KEY },
    limitMs: EXAMPLE_MS,
  });
  const steps = new Set([...output.matchAll(/step (\d) with fence \d+/g)].map(([, step]) => step)).size;
  const faults = steps === 5 ? [] : [`the unchanged file printed:\n${output}`];
  return { line: `${runner.fileName} unchanged: ${steps} steps`, faults };
}
