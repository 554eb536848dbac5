import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { BUILD_INPUTS, hashInputs } from "../../../scripts/steps/freshness.mjs";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { HERE, provideCachedDir } from "./cached-dir.ts";

const ROOT = join(HERE, "../..");
const BUILD_MS = 600_000;
/** Files and folders to copy: the sources of the pages and of the server, whose types the pages use. */
const COPIED = [...BUILD_INPUTS, "package.json", "server"];

/** Excludes tests. They import files that are not copied, and the build checks the types of every file. */
const filter = (path: string) => !/\.test\.tsx?$/.test(path);

export interface ConsoleBelow {
  /** Folder with the server and the pages, which were built for the base path. */
  readonly dir: string;
  readonly basePath: string;
}

/**
 * Builds a copy of the console for a base path. A separate build is necessary, because the base path is fixed at build
 * time.
 *
 * @throws Skip if the build fails
 */
export async function provideConsoleBelow(): Promise<ConsoleBelow> {
  const basePath = "/locks-console";
  const dir = await provideCachedDir("console-below", [basePath, hashInputs(ROOT)], async (copy) => {
    for (const part of COPIED) {
      const from = join(ROOT, part);
      if (existsSync(from))
        cpSync(from, join(copy, part), { recursive: true, preserveTimestamps: true, filter });
    }
    const modules = ["node_modules", join(copy, "node_modules")];
    await run("cp", ["-al", ...modules], { limitMs: BUILD_MS, cwd: ROOT }).catch(() =>
      run("cp", ["-a", ...modules], { limitMs: BUILD_MS, cwd: ROOT }),
    );
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      LOCKKEEPER_BASE_PATH: basePath,
    };
    const next = join(copy, "node_modules/next/dist/bin/next");
    await run(process.execPath, [next, "build"], { limitMs: BUILD_MS, cwd: copy, env }).catch((error) => {
      throw new Skip(`the console cannot be built below a path: ${formatReason(error)}`);
    });
  });
  // Updates the server in the copy, which is not part of the build. The server must be there, because it finds the
  // pages relative to its own path.
  cpSync(join(ROOT, "server"), join(dir, "server"), { recursive: true, preserveTimestamps: true, filter });
  return { dir, basePath };
}
