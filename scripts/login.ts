/** `npm run login [-- --name NAME]`: prints a new one-time link to the console that runs with the same settings. */
import { parseArgs } from "node:util";
import { Home } from "../server/auth/home.ts";
import { makeLink } from "../server/auth/sessions.ts";
import { consoleUrl, embeddedRedisDir, readConfig } from "../server/config.ts";
import { addressOf, connect, whenReady } from "../server/redis/connect.ts";
import { readNote } from "../server/redis/embedded-files.ts";
import { StartupError } from "../server/startup-error.ts";

function nameGiven(): string | undefined {
  try {
    return parseArgs({ options: { name: { type: "string" } } }).values.name;
  } catch {
    throw new StartupError("npm run login takes one option: npm run login -- --name NAME");
  }
}

async function main(): Promise<void> {
  const config = readConfig();
  const name = nameGiven() ?? config.operatorName;
  if (!/^[^\p{C}]{1,64}$/u.test(name))
    throw new StartupError("--name must have 1 to 64 printable characters.");
  const note = await readNote(embeddedRedisDir(config));
  const url = config.redisUrl ?? (note && `redis://127.0.0.1:${note.port}`);
  if (url === undefined)
    throw new StartupError("Lockkeeper has not run here yet; start it with `npm start`.");
  const address = addressOf(url);
  const redis = connect(address, "login");
  try {
    await whenReady(redis, AbortSignal.timeout(3000));
    const token = await makeLink(new Home(redis), { name, role: "admin" });
    process.stdout.write(
      `Log in as ${name} (once, within 10 minutes): ${consoleUrl(config, config.port)}/login#${token}\n`,
    );
  } catch (error) {
    if (error instanceof DOMException) {
      throw new StartupError(
        `Redis at ${address.label} cannot be reached; is Lockkeeper running (\`npm start\`)?`,
      );
    }
    throw error;
  } finally {
    redis.disconnect();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof StartupError ? error.message : error}\n`);
  process.exitCode = 1;
});
