import { createHash } from "node:crypto";
import type { RedisServerBinary } from "./server-binary.ts";

/** A user of the embedded Redis: Lockkeeper's own user, or the user that all applications share. */
export type EmbeddedUser = "lockkeeper" | "app";

/** Prefix of the keys in Lockkeeper's home store. Applications cannot access them. */
export const PROTECTED_PREFIX = "{lockkeeper}";

/**
 * Subcommands of CLIENT that client libraries send on connect. In Redis 7, the permitted ACL categories include these
 * subcommands. Redis 6.2 assigns the whole command CLIENT to `@admin`, so the rules must permit them separately.
 */
const CLIENT_SUBCOMMANDS = ["setname", "getname", "setinfo", "id", "info", "reply", "tracking", "caching"];

/**
 * Lists the ACL key patterns that together match exactly the keys that do not begin with `prefix`. ACL patterns cannot
 * be negated. For each character of the prefix, one pattern therefore matches the key that ends before this character,
 * and another pattern matches the keys that first differ from the prefix at this character.
 *
 * @param prefix must not contain characters that are special in a Redis glob
 */
export function buildPatternsOutside(prefix: string): string[] {
  return [...prefix].flatMap((character, at) => {
    const begin = prefix.slice(0, at);
    return [begin, `${begin}[^${character}]*`];
  });
}

/** Builds the `ACL SETUSER` rules for a user. The rules contain the SHA-256 hash of `password`, not the password. */
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
 * No client can log in as the user `default`. The user keeps all permissions, because Redis replays the append-only
 * file as this user and would drop transactions and scripts that the user is not allowed to run.
 */
const DEFAULT_USER = "user default reset off ~* &* +@all";

/** Builds an ACL file that requires every client to authenticate with a password. */
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
 * Returns settings that prevent Redis administrators from running code on the machine. Returns an empty object for
 * Redis 6.2, which does not support these settings.
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
