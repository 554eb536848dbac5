import { type Command, InvalidArgumentError } from "commander";
import { isChainHash } from "../../server/history/audit/chain-hash.ts";
import type { ChainReport } from "../../server/verify-audit-chain.ts";
import type { SettingsOptions } from "../connection/server-settings.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { toPrintable } from "../output/printable.ts";
import type { CliContext } from "./command-context.ts";
import { addSettingsOptions } from "./login.ts";

const HELP = `
Exits with 1 if the chain is broken. Without a file, verifies the home store of the server on this machine: run it as
the same account, with the same options and environment.

Examples:
  $ lockkeeper audit verify
  $ lockkeeper audit verify lockkeeper-audit.jsonl --head 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`;

interface VerifyOptions extends SettingsOptions {
  readonly head?: string;
}

/** Adds `lockkeeper audit verify`, which verifies the hash chain of the audit log. */
export function addAuditCommand(program: Command, context: CliContext): void {
  const audit = program.command("audit").description("Verify the audit log.");
  addSettingsOptions(
    audit
      .command("verify")
      .description("Verify the hash chain of the audit log.")
      .argument("[file]", "an exported audit log (default: the home store of the server on this machine)")
      .option("--head <hash>", "hash that the chain must contain, noted earlier", parseHash),
  )
    .addHelpText("after", HELP)
    .action(async (file: string | undefined, options: VerifyOptions) => {
      const { lines, isWhole } = await verify(file, options, context);
      context.writeOut(lines.map((line) => `${toPrintable(line)}\n`).join(""));
      if (!isWhole) context.setExitCode(EXIT_CODES.negative);
    });
}

function parseHash(text: string): string {
  const hash = text.toLowerCase();
  if (isChainHash(hash)) return hash;
  throw new InvalidArgumentError("It must have 64 hexadecimal digits.");
}

async function verify(
  file: string | undefined,
  options: VerifyOptions,
  { environment }: CliContext,
): Promise<ChainReport> {
  const { readServerSettings } = await import("../connection/server-settings.ts");
  const { verifyAuditFile, verifyAuditStore } = await import("../../server/verify-audit-chain.ts");
  if (file === undefined)
    return await verifyAuditStore(readServerSettings(options, environment), options.head);
  try {
    return await verifyAuditFile(file, options.head);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "path" in error)) throw error;
    throw new CliError(toPrintable(error.message), EXIT_CODES.failure);
  }
}
