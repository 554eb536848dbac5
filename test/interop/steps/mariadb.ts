import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { findProgram } from "./find.ts";
import { findLibraryPath, unpackPackage } from "./packages.ts";

const FOLDERS = ["/usr/sbin", "/usr/libexec", "/usr/local/sbin", "/usr/local/libexec", "/opt/homebrew/bin"];

export interface MariadbTool {
  readonly mariadbd: string;
  /** Folder of messages and character sets. Set if it differs from the compiled-in folder. */
  readonly share?: string;
  readonly libraryPath?: string;
}

/**
 * Finds MariaDB on this machine, or else unpacks it from the distribution's package.
 *
 * @throws Skip if MariaDB is not available
 */
export async function provideMariadb(): Promise<MariadbTool> {
  const installed = findProgram("mariadbd", FOLDERS);
  const tool = installed === undefined ? await unpack() : { mariadbd: installed };
  const env = tool.libraryPath === undefined ? process.env : { LD_LIBRARY_PATH: tool.libraryPath };
  await run(tool.mariadbd, ["--no-defaults", "--version"], {
    limitMs: 10_000,
    env: env as NodeJS.ProcessEnv,
  }).catch((error: unknown) => {
    throw new Skip(`MariaDB does not run here: ${formatReason(error)}`);
  });
  return tool;
}

async function unpack(): Promise<MariadbTool> {
  const root = await unpackPackage("mariadb-server-core");
  return {
    mariadbd: join(root, "usr/sbin/mariadbd"),
    share: join(root, "usr/share/mysql"),
    libraryPath: await findLibraryPath(root),
  };
}
