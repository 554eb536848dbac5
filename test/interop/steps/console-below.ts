import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { BUILD_INPUTS, hashInputs } from "../../../scripts/steps/freshness.mjs";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { HERE, provideCachedDir } from "./cached-dir.ts";

const ROOT = join(HERE, "../..");
const BUILD_MS = 600_000;
/** The sources of pages, and of the types that they use from the server. */
const COPIED = [...BUILD_INPUTS, "package.json", "server"];

/**
 * Tests are not copied, because they import files that are not copied either, and the build checks the types of every
 * file.
 */
const filter = (path: string) => !/\.test\.tsx?$/.test(path);

export interface ConsoleBelow {
  /** A folder with the server and the pages, built for the base path. */
  readonly dir: string;
  readonly basePath: string;
}

/** Provides a console that was built for a base path, because the build fixes the path. @throws Skip */
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
  // The server of the copy, from which its pages are found, is the current one.
  cpSync(join(ROOT, "server"), join(dir, "server"), { recursive: true, preserveTimestamps: true, filter });
  return { dir, basePath };
}
