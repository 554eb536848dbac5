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
  /** A separate folder. */
  readonly dir: string;
  readonly direct: Redis;
  /** The connection of each shell. */
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
  /** For each killed or stopped supervisor: the time from the last sign of the work to the end of its lease, in ms. */
  readonly marginsMs: readonly number[];
  /** The longest time without work, in milliseconds. */
  readonly longestGapMs: number;
  /** Exit codes of all runs, with their number. */
  readonly codes: Readonly<Record<string, number>>;
  /** Processes of the work that still run at the end. */
  readonly leftovers: readonly number[];
}

const LEFTOVER_MS = 10_000;
const REPLACEMENT_MS = 30_000;
/** Delay of a fault after the previous one or the start of the work, as a share of the work. */
const PAUSE_SHARES = [0.1, 0.6] as const;

/** Lets shells run commands under one lock in a loop, injects faults, and measures whether two commands ever overlap. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { key, dir, direct, environments, leaseMs, workMs, seconds } = options;
  const log = join(dir, "log");
  const goFiles = environments.map((_, n) => join(dir, `shell-${n}`));
  const samples = new LeaseSamples(direct, key);
  const shells = await Promise.all(
    environments.map((environment, n) => {
      // Every other shell runs work that only SIGKILL ends.
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
    // There is no guarantee if the supervisor is killed before the next guardian watches.
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
  // Unexpected errors, such as a stack trace, are printed with the result.
  const stack = errors.split("\n").filter((line) => /^\s+at /.test(line));
  if (stack.length > 0) counts["stack traces"] = stack.length;
  return counts;
}
