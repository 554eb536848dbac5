import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { findProgram } from "./find.ts";
import { findLibraryPath, unpackPackage } from "./packages.ts";

const FOLDERS = ["/usr/sbin", "/usr/libexec", "/usr/local/sbin", "/usr/local/libexec", "/opt/homebrew/bin"];

export interface MariadbTool {
  readonly mariadbd: string;
  /** The folder of messages and character sets, if it differs from the compiled one. */
  readonly share?: string;
  readonly libraryPath?: string;
}

/** Provides MariaDB: that of the machine, or unpacked from the distribution. @throws Skip */
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
