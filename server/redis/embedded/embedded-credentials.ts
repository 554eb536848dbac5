import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildAclFile, type EmbeddedUser } from "./access-rules.ts";
import type { RedisServerBinary } from "./server-binary.ts";

/** Name of the ACL file in the server's working directory. The file contains only hashes of the passwords. */
export const ACL_FILE = "users.acl";

const USERS = ["lockkeeper", "app"] as const satisfies readonly EmbeddedUser[];
const PASSWORD_PATTERN = /^[\w-]{43}$/;

/** The password of each user of the embedded Redis. A restart does not change the passwords. */
export type EmbeddedPasswords = Readonly<Record<EmbeddedUser, string>>;

/** Returns the path of the file that contains the URL for `user`, in the same format as `REDIS_URL`. */
export function getUrlFile(dir: string, user: EmbeddedUser): string {
  return join(dir, `${user}-redis-url`);
}

/** Builds the URL with which `user` connects to the embedded Redis. The URL contains the password. */
export function buildEmbeddedUrl(port: number, user: EmbeddedUser, password: string): string {
  return `redis://${user}:${password}@127.0.0.1:${port}`;
}

/**
 * Reads the passwords from an earlier run. Replaces missing or invalid passwords with new ones, which are not stored.
 */
export async function loadPasswords(dir: string): Promise<EmbeddedPasswords> {
  const [lockkeeper, app] = await Promise.all(USERS.map((user) => readPassword(dir, user)));
  return { lockkeeper: lockkeeper ?? createPassword(), app: app ?? createPassword() };
}

/**
 * Reads the URL for a user from its file. Returns `undefined` if the file does not exist, because the embedded Redis
 * has never run in `dir`.
 *
 * @throws EACCES if the file belongs to another account
 */
export async function readEmbeddedUrl(dir: string, user: EmbeddedUser): Promise<string | undefined> {
  try {
    return (await readFile(getUrlFile(dir, user), "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes one file per user, which contains the user's URL. Only Lockkeeper's account can read the files. */
export async function writeUrlFiles(dir: string, port: number, passwords: EmbeddedPasswords): Promise<void> {
  for (const user of USERS)
    await writePrivateFile(getUrlFile(dir, user), `${buildEmbeddedUrl(port, user, passwords[user])}\n`);
}

/** Writes the ACL file that the server reads when it starts. */
export async function writeAclFile(
  dir: string,
  passwords: EmbeddedPasswords,
  binary: Pick<RedisServerBinary, "version">,
): Promise<void> {
  await writePrivateFile(join(dir, ACL_FILE), buildAclFile(passwords, binary));
}

async function readPassword(dir: string, user: EmbeddedUser): Promise<string | undefined> {
  const url = await readEmbeddedUrl(dir, user);
  const password = url !== undefined && URL.canParse(url) ? new URL(url).password : "";
  return PASSWORD_PATTERN.test(password) ? password : undefined;
}

function createPassword(): string {
  return randomBytes(32).toString("base64url");
}

async function writePrivateFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  try {
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
