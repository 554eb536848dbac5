import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { MariadbTool } from "../steps/mariadb.ts";
import { createTempDir, type Database, launchDatabase } from "./server.ts";

export interface MariadbServer extends Database {
  readonly socketPath: string;
}

/** Starts MariaDB without system tables. Users are not needed, and the server starts in about a second. */
export async function startMariadb(
  tool: MariadbTool,
  knock: (socketPath: string) => Promise<unknown>,
): Promise<MariadbServer> {
  const dir = await createTempDir();
  const socketPath = join(dir, "socket");
  const data = join(dir, "data");
  await mkdir(data);
  const { share, libraryPath } = tool;
  const args = [
    "--no-defaults",
    `--user=${userInfo().username}`,
    `--datadir=${data}`,
    `--socket=${socketPath}`,
    `--pid-file=${join(dir, "pid")}`,
    "--skip-networking",
    "--skip-grant-tables",
    "--innodb-flush-log-at-trx-commit=0",
    ...(share === undefined
      ? []
      : [`--lc-messages-dir=${share}`, `--character-sets-dir=${join(share, "charsets")}`]),
  ];
  const env = libraryPath === undefined ? process.env : { ...process.env, LD_LIBRARY_PATH: libraryPath };
  const database = await launchDatabase({
    command: tool.mariadbd,
    args,
    options: { cwd: dir, env },
    endWith: "SIGTERM",
    checkReady: () => knock(socketPath),
  });
  return { ...database, socketPath };
}
