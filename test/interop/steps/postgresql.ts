import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Skip } from "../skip.ts";
import { findProgram } from "./find.ts";
import { findLibraryPath, unpackPackage } from "./packages.ts";

const HOMES = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];

export interface PostgresqlTool {
  /** The folder of `initdb` and `postgres`. */
  readonly bin: string;
  /** The root of an unpacked server, with its libraries. */
  readonly unpacked?: { readonly root: string; readonly libraryPath: string };
}

/** Provides PostgreSQL: that of the machine, or unpacked from the distribution. @throws Skip */
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

/** Newest first. */
function listBins(home: string): string[] {
  const names = existsSync(home) ? readdirSync(home) : [];
  return names
    .sort((a, b) => Number.parseInt(b.replace(/^\D+/, ""), 10) - Number.parseInt(a.replace(/^\D+/, ""), 10))
    .map((name) => join(home, name, "bin"))
    .filter((bin) => existsSync(join(bin, "postgres")));
}
