/** `npm run login [-- --name NAME]`: prints a one-time link to the console that runs with the same settings. */
import { parseArgs } from "node:util";
import { LoginLinks } from "../server/auth/login-link.ts";
import { getConsoleUrl, readConfig } from "../server/config/config.ts";
import { StartupError } from "../server/errors/startup-error.ts";
import { openHomeStore } from "../server/home/open-home-store.ts";
import { waitUntilReady } from "../server/redis/connect.ts";
import { locateHomeStore } from "../server/start-configured-redis.ts";
import { formatLocation } from "../server/targets/probe-target.ts";

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
  if (!/^[^\p{C}]{1,64}$/u.test(name))
    throw new StartupError("--name must have 1 to 64 printable characters.");
  const where = await locateHomeStore(config);
  const home = openHomeStore(where, "login");
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(3000));
    const token = await new LoginLinks(home).create({ name, roles: { "*": "admin" } });
    process.stdout.write(
      `Log in as ${name} (once, within 10 minutes): ${getConsoleUrl(config, config.port)}/login#${token}\n`,
    );
  } catch (error) {
    if (error instanceof DOMException) {
      throw new StartupError(
        `Could not reach Redis at ${formatLocation(where)}. Start Lockkeeper with \`npm start\`.`,
      );
    }
    throw error;
  } finally {
    home.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof StartupError ? error.message : error}\n`);
  process.exitCode = 1;
});
