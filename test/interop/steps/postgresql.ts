import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Skip } from "../skip.ts";
import { findProgram } from "./find.ts";
import { findLibraryPath, unpackPackage } from "./packages.ts";

const HOMES = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];

export interface PostgresqlTool {
  /** Folder that contains `initdb` and `postgres`. */
  readonly bin: string;
  /** Root folder and library path of an unpacked server. Absent if the server is installed. */
  readonly unpacked?: { readonly root: string; readonly libraryPath: string };
}

/**
 * Finds PostgreSQL on this machine, or else unpacks it from the distribution's package.
 *
 * @throws Skip if PostgreSQL is not available
 */
export async function providePostgresql(): Promise<PostgresqlTool> {
  const installed = findInstalledBin();
  if (installed !== undefined) return { bin: installed };
  const root = await unpackPackage("postgresql");
  const bin = listBins(join(root, "usr/lib/postgresql"))[0];
  if (bin === undefined) throw new Skip("the distribution's PostgreSQL package has no server");
  return { bin, unpacked: { root, libraryPath: await findLibraryPath(root) } };
}

function findInstalledBin(): string | undefined {
  const onPath = findProgram("postgres");
  const bins = [...(onPath === undefined ? [] : [dirname(onPath)]), ...HOMES.flatMap(listBins)];
  return bins.find((bin) => existsSync(join(bin, "initdb")));
}

/** Lists the folders of the installed versions, newest version first. */
function listBins(home: string): string[] {
  const names = existsSync(home) ? readdirSync(home) : [];
  return names
    .sort((a, b) => Number.parseInt(b.replace(/^\D+/, ""), 10) - Number.parseInt(a.replace(/^\D+/, ""), 10))
    .map((name) => join(home, name, "bin"))
    .filter((bin) => existsSync(join(bin, "postgres")));
}
