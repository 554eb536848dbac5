import type { Config } from "./config.ts";
import { DEFAULT_PORT } from "./config-variables.ts";

const COMMANDS = {
  npm: { start: "npm start", login: "npm run login" },
  lockkeeper: { start: "lockkeeper serve", login: "lockkeeper login" },
} as const satisfies Record<Config["launcher"], object>;

/** Returns the command with which users start Lockkeeper in this installation. */
export function formatStartCommand({ launcher }: Pick<Config, "launcher">): string {
  return COMMANDS[launcher].start;
}

/**
 * Returns the command that creates a login link. It includes the options of this server, and the port if the command
 * needs the port.
 *
 * @param port the port on which the server listens, or 0 if it is not known
 */
export function formatLoginCommand(
  { launcher, launcherOptions }: Pick<Config, "launcher" | "launcherOptions">,
  port: number,
): string {
  // `PORT=4000 npm start` sets the variable only for that command. Without it, the link has the default port.
  const variables = launcher === "npm" && port !== DEFAULT_PORT && port !== 0 ? [`PORT=${port}`] : [];
  return [...variables, COMMANDS[launcher].login, ...launcherOptions].join(" ");
}
