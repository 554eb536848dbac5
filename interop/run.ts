/**
 * Puts clients that others wrote beside ours, on real servers. `npm run interop [-- --only <client>] [--seconds <n>]`
 *
 * One line a client on standard output, figures on standard error; the last line is "N passed, N failed".
 */
import { parseArgs } from "node:util";
import { endAll, endWhenInterrupted } from "./children.ts";
import { CLIENTS } from "./clients/all.ts";
import type { Client } from "./clients/client.ts";
import { readTools } from "./prepared.ts";
import { reasonOf, Skip } from "./skip.ts";

const LIMIT_MS = 150_000;

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, seconds: { type: "string" } },
});
const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
const chosen = CLIENTS.filter(({ name }) => values.only === undefined || values.only.includes(name));
const tools = readTools();

async function verdictOf(client: Client): Promise<"passed" | "failed" | `skipped (${string})`> {
  const note = (line: string) => console.error(`  ${client.name}: ${line}`);
  try {
    for (const tool of client.needs) void tools[tool];
    await within(client.run({ tools, seconds, note }));
    return "passed";
  } catch (error) {
    if (error instanceof Skip) return `skipped (${reasonOf(error)})`;
    note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return "failed";
  }
}

async function within(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not end within ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  work.catch(() => undefined);
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

endWhenInterrupted();
const counts = { passed: 0, failed: 0 };
for (const client of chosen) {
  const verdict = await verdictOf(client);
  if (verdict === "passed" || verdict === "failed") counts[verdict]++;
  console.log(`${client.name}: ${verdict}`);
}
await endAll();
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);
