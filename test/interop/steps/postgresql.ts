import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Skip } from "../skip.ts";
import { findProgram } from "./find.ts";
import { libraryPathOf, unpacked } from "./packages.ts";

const HOMES = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];

export interface PostgresqlTool {
  /** The folder of `initdb` and `postgres`. */
  readonly bin: string;
  /** The root of an unpacked one, with its libraries. */
  readonly unpacked?: { readonly root: string; readonly libraryPath: string };
}

/** PostgreSQL's server: the machine's, or one unpacked from the distribution. @throws Skip */
export async function providePostgresql(): Promise<PostgresqlTool> {
  const installed = installedBin();
  if (installed !== undefined) return { bin: installed };
  const root = await unpacked("postgresql");
  const bin = binsIn(join(root, "usr/lib/postgresql"))[0];
  if (bin === undefined) throw new Skip("the distribution's PostgreSQL package has no server");
  return { bin, unpacked: { root, libraryPath: await libraryPathOf(root) } };
}

function installedBin(): string | undefined {
  const onPath = findProgram("postgres");
  const bins = [...(onPath === undefined ? [] : [dirname(onPath)]), ...HOMES.flatMap(binsIn)];
  return bins.find((bin) => existsSync(join(bin, "initdb")));
}

/** Newest first. */
function binsIn(home: string): string[] {
  const names = existsSync(home) ? readdirSync(home) : [];
  return names
    .sort((a, b) => Number.parseInt(b.replace(/^\D+/, ""), 10) - Number.parseInt(a.replace(/^\D+/, ""), 10))
    .map((name) => join(home, name, "bin"))
    .filter((bin) => existsSync(join(bin, "postgres")));
}
