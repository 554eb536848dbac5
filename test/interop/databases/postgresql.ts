import { chown, cp } from "node:fs/promises";
import { join, relative } from "node:path";
import { run } from "../children.ts";
import type { PostgresqlTool } from "../steps/postgresql.ts";
import { createTempDir, type Database, launchDatabase } from "./server.ts";

const INIT_MS = 60_000;
/** User that PostgreSQL runs as if this process is root, because PostgreSQL refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

export interface PostgresqlServer extends Database {
  /** Folder of the Unix socket, which clients use as `host`. */
  readonly host: string;
  readonly user: string;
}

const USER = "lockkeeper";

export async function startPostgresql(
  tool: PostgresqlTool,
  knock: (host: string, user: string) => Promise<unknown>,
): Promise<PostgresqlServer> {
  const dir = await createTempDir();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(dir, NOBODY.uid, NOBODY.gid);
  const { bin, libraryPath } = await copyToReachableDir(tool, dir, isRoot);
  const env = {
    PATH: "/usr/bin:/bin",
    ...(libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath }),
  } as unknown as NodeJS.ProcessEnv;
  const options = { cwd: dir, env, ...(isRoot ? NOBODY : {}) };
  const data = join(dir, "data");
  const init = ["-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await run(join(bin, "initdb"), init, { ...options, limitMs: INIT_MS });
  const settings = {
    listen_addresses: "",
    unix_socket_directories: dir,
    fsync: "off",
    max_connections: "40",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const database = await launchDatabase({
    command: join(bin, "postgres"),
    args: ["-D", data, ...args],
    options,
    endWith: "SIGQUIT",
    checkReady: () => knock(dir, USER),
  });
  return { ...database, host: dir, user: USER };
}

// The user `nobody` cannot enter every home folder, so an unpacked server is copied to a folder that it can enter.
async function copyToReachableDir(tool: PostgresqlTool, dir: string, isRoot: boolean) {
  const { bin, unpacked } = tool;
  if (unpacked === undefined) return { bin };
  if (!isRoot) return { bin, libraryPath: unpacked.libraryPath };
  const root = join(dir, "root");
  await cp(unpacked.root, root, { recursive: true, verbatimSymlinks: true });
  const moved = (path: string) => join(root, relative(unpacked.root, path));
  return { bin: moved(bin), libraryPath: unpacked.libraryPath.split(":").map(moved).join(":") };
}
