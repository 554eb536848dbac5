import type { Config } from "./config.ts";

const COMMANDS = {
  npm: { start: "npm start", login: "npm run login" },
  lockkeeper: { start: "lockkeeper serve", login: "lockkeeper login" },
} as const satisfies Record<Config["launcher"], object>;

/** Returns the command with which users start Lockkeeper or create a login link in this installation. */
export function formatCommand({ launcher }: Pick<Config, "launcher">, command: "start" | "login"): string {
  return COMMANDS[launcher][command];
}
