/**
 * Runs the interoperability tests ("clients") with software of other authors on real servers.
 *
 * Usage: `npm run interop [-- --only <client>] [--seconds <n>] [--allow-skipped] [--rerun-failed]`
 *
 * Prints one line per client on standard output and measurements on standard error. The last line is "N passed, N
 * failed".
 *
 * A client that needs a tool that is not available counts as failed, because it proved nothing. With `--allow-skipped`,
 * such a client counts as neither passed nor failed, for machines that cannot have all tools. With `--rerun-failed`,
 * failed clients run once more, one at a time, unless one of them proves mutual exclusion. Those that pass then are
 * reported as `flaky: <client>`.
 */
import { parseArgs } from "node:util";
import { FLAKY_FILES_MAX } from "../../scripts/steps/flaky.mjs";
import { endAll, endWhenInterrupted, isEnding } from "./children.ts";
import { CLIENTS, EXCLUSION_CLIENTS } from "./clients/all.ts";
import type { Client } from "./clients/client.ts";
import { readTools } from "./prepared.ts";
import { formatReason, Skip } from "./skip.ts";

/** Maximum duration of a client in ms, in addition to the time of contention. */
const LIMIT_MS = 300_000;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    seconds: { type: "string" },
    "allow-skipped": { type: "boolean", default: false },
    "rerun-failed": { type: "boolean", default: false },
  },
});
const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
const chosen = CLIENTS.filter(({ name }) => values.only === undefined || values.only.includes(name));
const tools = readTools();

async function runClient(
  client: Client,
  timed: () => void,
): Promise<{ readonly outcome: "passed" | "failed" | "skipped"; readonly why?: string }> {
  const note = (line: string) => console.error(`  ${client.name}: ${line}`);
  try {
    for (const tool of client.needs) void tools[tool];
    await withLimit(client.run({ tools, seconds, note, timed }));
    return { outcome: "passed" };
  } catch (error) {
    if (error instanceof Skip) return { outcome: "skipped", why: formatReason(error) };
    // Clients whose processes were killed by `endAll` fail without a useful message.
    if (!isEnding()) note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { outcome: "failed" };
  }
}

async function withLimit(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limitMs = LIMIT_MS + (seconds ?? 60) * 1000;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not end within ${limitMs / 1000} s`)), limitMs);
  });
  work.catch(() => undefined);
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Runs up to two clients at a time, because they mostly wait. While a client measures times, no other client runs. */
async function runAll(counts: { passed: number; failed: number }): Promise<Client[]> {
  const left = [...chosen];
  const failed: Client[] = [];
  const lane = async (timed: () => void) => {
    for (let client = left.shift(); client !== undefined; client = left.shift()) {
      const { outcome, why } = await runClient(client, timed);
      timed();
      if (isEnding()) return;
      const isAllowed = outcome === "skipped" && values["allow-skipped"];
      if (!isAllowed) counts[outcome === "passed" ? "passed" : "failed"]++;
      if (outcome === "failed") failed.push(client);
      console.log(`${client.name}: ${outcome}${why === undefined ? "" : ` (${why})`}`);
    }
  };
  let second: Promise<void> | undefined;
  await lane(() => {
    second ??= lane(() => undefined);
  });
  await second;
  return failed;
}

/**
 * Runs failed clients once more, one at a time. Does nothing if too many clients failed or if one of them proves mutual
 * exclusion.
 */
async function rerunFailed(
  failed: readonly Client[],
  counts: { passed: number; failed: number },
): Promise<void> {
  if (failed.length > FLAKY_FILES_MAX || failed.some((client) => EXCLUSION_CLIENTS.includes(client))) return;
  for (const client of failed) {
    const { outcome } = await runClient(client, () => undefined);
    if (outcome !== "passed" || isEnding()) continue;
    console.log(`flaky: ${client.name}`);
    counts.failed--;
    counts.passed++;
  }
}

endWhenInterrupted();
const counts = { passed: 0, failed: 0 };
const failed = await runAll(counts);
if (values["rerun-failed"] && !isEnding()) await rerunFailed(failed, counts);
if (isEnding()) await new Promise(() => undefined);
await endAll();
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);
