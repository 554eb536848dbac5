import { LoginLinks } from "./auth/login-link.ts";
import { type Config, getConsoleUrl } from "./config/config.ts";
import { formatStartCommand } from "./config/launcher-commands.ts";
import { StartupError } from "./errors/startup-error.ts";
import { openHomeStore } from "./home/open-home-store.ts";
import { waitUntilReady } from "./redis/connect.ts";
import { locateHomeStore } from "./start-configured-redis.ts";
import { formatLocation } from "./targets/probe-target.ts";

const CONNECT_MS = 3000;

/**
 * Creates a one-time login link for the console of the Lockkeeper instance that runs with the same settings. Returns
 * the URL of the link. The session that the link starts has the role `admin` on all targets.
 *
 * @param name name of the operator whom the link logs in
 * @throws StartupError if the name is invalid, the home store cannot be reached, or no instance uses the home store
 */
export async function createLoginLink(config: Config, name: string): Promise<string> {
  if (!/^[^\p{C}]{1,64}$/u.test(name))
    throw new StartupError("--name must have 1 to 64 printable characters.");
  const where = await locateHomeStore(config);
  const home = openHomeStore(where, "login");
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(CONNECT_MS));
    // A link in a store that no instance uses would be useless. In addition, Lockkeeper must not write to a Redis that
    // it only watches.
    if (!(await home.isInUse()))
      throw new StartupError(
        `No Lockkeeper stores its data in ${formatLocation(where)}. Use the same options and environment as the server, such as --read-only and --data.`,
      );
    const token = await new LoginLinks(home).create({ name, roles: { "*": "admin" } });
    return `${getConsoleUrl(config, config.port)}/login#${token}`;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new StartupError(
      `Could not reach Redis at ${formatLocation(where)}. Start Lockkeeper with \`${formatStartCommand(config)}\`.`,
      { fault: "unreachable" },
    );
  } finally {
    home.close();
  }
}
