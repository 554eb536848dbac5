/**
 * `npm run audit:verify [-- FILE] [--head HASH]`: verifies the audit chain in an exported file, or in the home store of
 * the instance that runs with the same settings. The exit code is 1 if the chain is broken and 2 if nothing could be
 * verified.
 */
import { parseArgs } from "node:util";
import { readConfig } from "../server/config/config.ts";
import { LockkeeperError } from "../server/errors/lockkeeper-error.ts";
import { StartupError } from "../server/errors/startup-error.ts";
import { isChainHash } from "../server/history/audit/chain-hash.ts";
import { verifyAuditFile, verifyAuditStore } from "../server/verify-audit-chain.ts";

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
    const isFit = positionals.length <= 1 && (noted === undefined || isChainHash(noted));
    if (isFit) return { file: positionals[0], noted };
  } catch {
    // The error is reported below.
  }
  throw new StartupError(`${USAGE}. HASH has 64 hexadecimal digits.`);
}

async function main(): Promise<void> {
  const { file, noted } = parseArguments();
  const { lines, isWhole } =
    file === undefined ? await verifyAuditStore(readConfig(), noted) : await verifyAuditFile(file, noted);
  process.stdout.write(`${lines.join("\n")}\n`);
  if (!isWhole) process.exitCode = 1;
}

main().catch((error: unknown) => {
  const isOurs = error instanceof StartupError || error instanceof LockkeeperError;
  const isFile = error instanceof Error && "code" in error && "path" in error;
  process.stderr.write(`${isOurs || isFile ? error.message : error}\n`);
  process.exitCode = 2;
});
