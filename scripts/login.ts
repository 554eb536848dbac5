/**
 * `npm run login [-- --name NAME]`: prints a one-time login link for the console of the instance that runs with the
 * same settings.
 */
import { parseArgs } from "node:util";
import { readConfig } from "../server/config/config.ts";
import { createLoginLink } from "../server/create-login-link.ts";
import { StartupError } from "../server/errors/startup-error.ts";

function parseName(): string | undefined {
  try {
    return parseArgs({ options: { name: { type: "string" } } }).values.name;
  } catch {
    throw new StartupError("Usage: npm run login [-- --name NAME]");
  }
}

async function main(): Promise<void> {
  const config = readConfig();
  const name = parseName() ?? config.operatorName;
  const link = await createLoginLink(config, name);
  process.stdout.write(`Log in as ${name} (once, within 10 minutes): ${link}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof StartupError ? error.message : error}\n`);
  process.exitCode = 1;
});
