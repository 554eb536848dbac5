/**
 * `npm run audit:verify [-- FILE] [--head HASH]`: verifies the audit chain in an exported file, or in the home store of
 * the Lockkeeper that runs with the same settings. Exits with 1 if the chain is broken, and with 2 if nothing could be
 * verified.
 */
import { parseArgs } from "node:util";
import { readConfig } from "../server/config/config.ts";
import { LockkeeperError } from "../server/errors/lockkeeper-error.ts";
import { StartupError } from "../server/errors/startup-error.ts";
import type { ChainCheck } from "../server/history/audit/audit-chain.ts";
import { AuditStore } from "../server/history/audit/audit-store.ts";
import { formatChainReport } from "../server/history/audit/chain-report.ts";
import { verifyExportFile, verifyStoredChain } from "../server/history/audit/verify-chain.ts";
import { openHomeStore } from "../server/home/open-home-store.ts";
import { waitUntilReady } from "../server/redis/connect.ts";
import { locateHomeStore } from "../server/start-configured-redis.ts";
import { formatLocation } from "../server/targets/probe-target.ts";

const USAGE = "Usage: npm run audit:verify [-- FILE] [--head HASH]";

interface Arguments {
  readonly file: string | undefined;
  readonly noted: string | undefined;
}

function parseArguments(): Arguments {
  try {
    const { values, positionals } = parseArgs({
      options: { head: { type: "string" } },
      allowPositionals: true,
    });
    const noted = values.head?.toLowerCase();
    const isFit = positionals.length <= 1 && (noted === undefined || /^[0-9a-f]{64}$/.test(noted));
    if (isFit) return { file: positionals[0], noted };
  } catch {
    // The error is reported below.
  }
  throw new StartupError(`${USAGE}. HASH has 64 hexadecimal digits.`);
}

async function checkHome(noted: string | undefined): Promise<{ check: ChainCheck; label: string }> {
  const config = readConfig();
  const where = await locateHomeStore(config);
  const home = openHomeStore(where, "audit");
  const label = `home store at ${formatLocation(where)}`;
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(3000)).catch(() => {
      throw new StartupError(`Could not reach the ${label}.`);
    });
    // Retention does not matter here, because nothing is appended.
    return { check: await verifyStoredChain(new AuditStore(home, config.audit), noted), label };
  } finally {
    home.close();
  }
}

async function main(): Promise<void> {
  const { file, noted } = parseArguments();
  const { check, label } =
    file === undefined
      ? await checkHome(noted)
      : { check: await verifyExportFile(file, noted), label: `file ${JSON.stringify(file)}` };
  const { lines, isWhole } = formatChainReport(check, label, noted);
  process.stdout.write(`${lines.join("\n")}\n`);
  if (!isWhole) process.exitCode = 1;
}

main().catch((error: unknown) => {
  const isOurs = error instanceof StartupError || error instanceof LockkeeperError;
  const isFile = error instanceof Error && "code" in error && "path" in error;
  process.stderr.write(`${isOurs || isFile ? error.message : error}\n`);
  process.exitCode = 2;
});
