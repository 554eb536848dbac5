import { createHash } from "node:crypto";
import type { RedisServerBinary } from "./server-binary.ts";

/** Lockkeeper's user, and the user that all applications share. */
export type EmbeddedUser = "lockkeeper" | "app";

/** Prefix of the keys of Lockkeeper's home store, which applications cannot access. */
export const PROTECTED_PREFIX = "{lockkeeper}";

/**
 * Subcommands of CLIENT that client libraries send on connect. Redis 7 assigns each subcommand its own categories,
 * which already allow these subcommands. Redis 6.2 puts all of CLIENT in `@admin`.
 */
const CLIENT_SUBCOMMANDS = ["setname", "getname", "setinfo", "id", "info", "reply", "tracking", "caching"];

/**
 * Lists the ACL key patterns that together match exactly the keys that do not begin with `prefix`. ACL patterns cannot
 * be negated, so each pattern matches the keys that differ from the prefix at one position.
 *
 * @param prefix without characters that are special in a Redis glob
 */
export function buildPatternsOutside(prefix: string): string[] {
  return [...prefix].flatMap((character, at) => {
    const begin = prefix.slice(0, at);
    return [begin, `${begin}[^${character}]*`];
  });
}

/** Builds the rules of `ACL SETUSER` for a user. The rules contain only the SHA-256 of `password`. */
export function buildUserRules(
  user: EmbeddedUser,
  password: string,
  { version }: Pick<RedisServerBinary, "version">,
): string[] {
  const login = ["reset", "on", `#${createHash("sha256").update(password).digest("hex")}`, "&*"];
  if (user === "lockkeeper") return [...login, "~*", "+@all"];
  const patterns = buildPatternsOutside(PROTECTED_PREFIX).map((pattern) => `~${pattern}`);
  const commands = ["+@all", "-@admin", "-@dangerous", "+info"];
  if (isBefore7(version)) commands.push(...CLIENT_SUBCOMMANDS.map((name) => `+client|${name}`));
  return [...login, ...patterns, ...commands];
}

/**
 * The user `default` is disabled for logins. It keeps every permission, because Redis replays the append-only file as
 * this user and would drop transactions and scripts that it may not run.
 */
const DEFAULT_USER = "user default reset off ~* &* +@all";

/** Builds the ACL file. Every login requires a password. */
export function buildAclFile(
  passwords: Readonly<Record<EmbeddedUser, string>>,
  binary: Pick<RedisServerBinary, "version">,
): string {
  const users = (["lockkeeper", "app"] as const).map(
    (user) => `user ${user} ${buildUserRules(user, passwords[user], binary).join(" ")}`,
  );
  return `${[DEFAULT_USER, ...users].join("\n")}\n`;
}

/**
 * Returns the settings that prevent even a Redis administrator from running code. Empty for Redis 6.2, which does not
 * support them.
 */
export function listHardeningSettings({
  version,
}: Pick<RedisServerBinary, "version">): Record<string, string> {
  if (isBefore7(version)) return {};
  return {
    "enable-debug-command": "no",
    "enable-module-command": "no",
    "enable-protected-configs": "no",
  };
}

function isBefore7(version: string): boolean {
  return Number.parseInt(version, 10) < 7;
}
