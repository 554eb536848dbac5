import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { isRunning } from "../../server/redis/embedded/server-process.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { waitUntil } from "../support/test-server.ts";
import { FAULT_KINDS, type Fault, type FaultKind, injectFault } from "./faults.ts";
import { LeaseSamples } from "./lease-samples.ts";
import { createWorkCommand } from "./run-process.ts";
import { RunShell } from "./shells.ts";
import { findOverlaps, type Overlap, readWorkSpans, type WorkSpan } from "./work-log.ts";

export interface CampaignOptions {
  readonly key: string;
  /** Folder that only this campaign uses. */
  readonly dir: string;
  readonly direct: Redis;
  /** Environment variables with the connection of each shell. */
  readonly environments: readonly Readonly<Record<string, string | undefined>>[];
  readonly leaseMs: number;
  readonly workMs: number;
  readonly seconds: number;
  readonly seed: number;
}

export interface CampaignResult {
  readonly spans: readonly WorkSpan[];
  readonly overlaps: readonly Overlap[];
  readonly faults: readonly Fault[];
  /**
   * For each killed or stopped supervisor, the time from the last log line of its command to the end of the lease, in
   * milliseconds.
   */
  readonly marginsMs: readonly number[];
  /** The longest time in which no command ran, in milliseconds. */
  readonly longestGapMs: number;
  /** Number of runs by exit code. */
  readonly codes: Readonly<Record<string, number>>;
  /** PIDs of commands that still run at the end. */
  readonly leftovers: readonly number[];
}

const LEFTOVER_MS = 10_000;
const REPLACEMENT_MS = 30_000;
/** Minimum and maximum delay before each fault, as a fraction of the command's duration. */
const PAUSE_SHARES = [0.1, 0.6] as const;

/** Runs commands under one lock in a loop from several shells, injects faults, and measures whether commands overlap. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { key, dir, direct, environments, leaseMs, workMs, seconds } = options;
  const log = join(dir, "log");
  const goFiles = environments.map((_, n) => join(dir, `shell-${n}`));
  const samples = new LeaseSamples(direct, key);
  const shells = await Promise.all(
    environments.map((environment, n) => {
      // Every other shell runs a command that only SIGKILL can end.
      const work = createWorkCommand(log, workMs, ...(n % 2 === 0 ? ["--ignore-signals"] : []));
      const args = [key, "--lease", `${leaseMs}ms`, "--wait", "1m", ...work];
      return RunShell.start(goFiles[n] ?? "", args, environment);
    }),
  );
  const errors = collectErrors(shells);
  const faults = await injectFaults(options, log, errors, performance.now() + seconds * 1000);
  await Promise.all(shells.map((shell) => shell.stop()));
  const getLeftovers = () => readWorkSpans(log).filter(({ pid }) => isRunning(pid));
  await waitUntil(() => getLeftovers().length === 0, LEFTOVER_MS).catch(() => undefined);
  await samples.stop();
  const spans = readWorkSpans(log);
  return {
    spans,
    faults,
    overlaps: findOverlaps(spans),
    marginsMs: computeMargins(spans, faults, samples),
    longestGapMs: computeLongestGap(spans),
    codes: await countCodes(goFiles, errors()),
    leftovers: getLeftovers().map(({ pid }) => pid),
  };
}

async function injectFaults(
  { leaseMs, workMs, seed }: CampaignOptions,
  log: string,
  readErrors: () => string,
  until: number,
): Promise<Fault[]> {
  const random = createSeededRandom(seed);
  const faults: Fault[] = [];
  for (let n = 0; performance.now() < until; n++) {
    const [least, most] = PAUSE_SHARES;
    await new Promise((resolve) => setTimeout(resolve, workMs * (least + random() * (most - least))));
    const span = readWorkSpans(log).at(-1);
    if (span === undefined || !isRunning(span.pid)) continue;
    const kind: FaultKind = FAULT_KINDS[n % FAULT_KINDS.length] ?? "kill";
    const replaced = countReplacements(readErrors());
    const fault = await injectFault(kind, span, 2 * leaseMs);
    if (fault !== undefined) faults.push(fault);
    if (fault?.kind !== "kill_guardian") continue;
    // If the supervisor is killed before a new guardian replaces the old one, overlaps are possible. So the next fault
    // waits for the replacement.
    await waitUntil(() => countReplacements(readErrors()) > replaced || !isRunning(span.pid), REPLACEMENT_MS);
  }
  return faults;
}

function countReplacements(errors: string): number {
  return errors.split("Another one was started.").length - 1;
}

function computeMargins(
  spans: readonly WorkSpan[],
  faults: readonly Fault[],
  samples: LeaseSamples,
): number[] {
  return faults.flatMap(({ kind, fence, at }) => {
    const span = spans.find((one) => one.fence === fence);
    if (span === undefined || kind === "kill_guardian" || span.events.includes("end")) return [];
    const leaseEnd = samples.findLeaseEnd(Math.max(at, span.beganAt));
    return leaseEnd === undefined ? [] : [leaseEnd - span.lastAt];
  });
}

function computeLongestGap(spans: readonly WorkSpan[]): number {
  return spans.reduce((longest, { beganAt }, n) => {
    const before = spans[n - 1];
    return before === undefined ? longest : Math.max(longest, beganAt - before.lastAt);
  }, 0);
}

function collectErrors(shells: readonly RunShell[]): () => string {
  let text = "";
  for (const { stderr } of shells) {
    stderr?.on("data", (chunk) => {
      text += chunk;
    });
  }
  return () => text;
}

async function countCodes(goFiles: readonly string[], errors: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const file of goFiles) {
    const text = await readFile(`${file}.codes`, "utf8").catch(() => "");
    for (const code of text.split("\n").filter(Boolean)) counts[code] = (counts[code] ?? 0) + 1;
  }
  // Stack traces and other unexpected errors are included in the result.
  const stack = errors.split("\n").filter((line) => /^\s+at /.test(line));
  if (stack.length > 0) counts["stack traces"] = stack.length;
  return counts;
}
