import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatReason, Skip } from "./skip.ts";
import { CACHE } from "./steps/cached-dir.ts";
import { type ConsoleBelow, provideConsoleBelow } from "./steps/console-below.ts";
import { type GoGeneratorTool, type GoTool, provideGo, provideGoGenerator } from "./steps/go.ts";
import {
  type JavaGeneratorTool,
  type JavaTool,
  provideJavaGenerator,
  provideRedisson,
  provideSpring,
} from "./steps/java.ts";
import { type LibfaketimeTool, provideLibfaketime } from "./steps/libfaketime.ts";
import { type MariadbTool, provideMariadb } from "./steps/mariadb.ts";
import { type NginxTool, provideNginx } from "./steps/nginx.ts";
import { type NpmTool, provideNpm, provideTypescriptGenerator } from "./steps/npm.ts";
import { type PostgresqlTool, providePostgresql } from "./steps/postgresql.ts";
import {
  type PythonTool,
  providePythonDatabases,
  providePythonGenerator,
  providePythonLocks,
  provideRedisPy,
} from "./steps/python.ts";

export interface Tools {
  readonly redisson: JavaTool;
  readonly spring: JavaTool;
  readonly npm: NpmTool;
  readonly redisPy: PythonTool;
  readonly pythonLocks: PythonTool;
  readonly pythonDatabases: PythonTool;
  readonly go: GoTool;
  readonly postgresql: PostgresqlTool;
  readonly mariadb: MariadbTool;
  readonly libfaketime: LibfaketimeTool;
  readonly javaGenerator: JavaGeneratorTool;
  readonly typescriptGenerator: NpmTool;
  readonly pythonGenerator: PythonTool;
  readonly goGenerator: GoGeneratorTool;
  readonly nginx: NginxTool;
  readonly consoleBelow: ConsoleBelow;
}

type Prepared = { [Name in keyof Tools]?: { ready: Tools[Name] } | { lacking: string } };

const PROVIDERS: { readonly [Name in keyof Tools]: () => Promise<Tools[Name]> } = {
  redisson: provideRedisson,
  spring: provideSpring,
  npm: provideNpm,
  redisPy: provideRedisPy,
  pythonLocks: providePythonLocks,
  pythonDatabases: providePythonDatabases,
  go: provideGo,
  postgresql: providePostgresql,
  mariadb: provideMariadb,
  libfaketime: provideLibfaketime,
  javaGenerator: provideJavaGenerator,
  typescriptGenerator: provideTypescriptGenerator,
  pythonGenerator: providePythonGenerator,
  goGenerator: provideGoGenerator,
  nginx: provideNginx,
  consoleBelow: provideConsoleBelow,
};

const FILE = join(CACHE, "prepared.json");

/** Installs the tools that are missing, and stores which ones are not available, with the reason. */
export async function prepare(
  onReady: (name: string, seconds: string, lacking?: string) => void,
): Promise<void> {
  const prepared: Record<string, unknown> = {};
  const provide = async ([name, provider]: [string, () => Promise<unknown>]) => {
    const startedAt = performance.now();
    const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);
    try {
      prepared[name] = { ready: await provider() };
      onReady(name, seconds());
    } catch (error) {
      const lacking = formatReason(error);
      prepared[name] = { lacking };
      onReady(name, seconds(), lacking);
    }
  };
  await Promise.all(Object.entries(PROVIDERS).map(provide));
  await mkdir(CACHE, { recursive: true });
  await writeFile(FILE, JSON.stringify(prepared, null, 2));
}

/** Returns the installed tools. Access to a tool that is not available throws `Skip`. */
export function readTools(): Tools {
  let prepared: Prepared = {};
  try {
    prepared = JSON.parse(readFileSync(FILE, "utf8")) as Prepared;
  } catch {
    // If nothing was prepared, no tool is available.
  }
  const tool = <Name extends keyof Tools>(name: Name): Tools[Name] => {
    const found = prepared[name];
    if (found === undefined) throw new Skip("not prepared: run it with `npm run interop`");
    if ("lacking" in found) throw new Skip(found.lacking);
    return found.ready;
  };
  return {
    get redisson() {
      return tool("redisson");
    },
    get spring() {
      return tool("spring");
    },
    get npm() {
      return tool("npm");
    },
    get redisPy() {
      return tool("redisPy");
    },
    get pythonLocks() {
      return tool("pythonLocks");
    },
    get pythonDatabases() {
      return tool("pythonDatabases");
    },
    get go() {
      return tool("go");
    },
    get postgresql() {
      return tool("postgresql");
    },
    get mariadb() {
      return tool("mariadb");
    },
    get libfaketime() {
      return tool("libfaketime");
    },
    get javaGenerator() {
      return tool("javaGenerator");
    },
    get typescriptGenerator() {
      return tool("typescriptGenerator");
    },
    get pythonGenerator() {
      return tool("pythonGenerator");
    },
    get goGenerator() {
      return tool("goGenerator");
    },
    get nginx() {
      return tool("nginx");
    },
    get consoleBelow() {
      return tool("consoleBelow");
    },
  };
}
