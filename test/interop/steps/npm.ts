import { copyFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { HERE, provideCachedDir, readLocalFile } from "./cached-dir.ts";

const INSTALL_MS = 120_000;

export interface NpmTool {
  /** Folder that contains package.json and node_modules. */
  readonly dir: string;
}

/**
 * Installs the lock libraries and database drivers of test/interop/npm.
 *
 * @throws Skip if they cannot be installed
 */
export function provideNpm(): Promise<NpmTool> {
  return provideFolder("npm");
}

/**
 * Installs the TypeScript client generator of test/interop/generated and a TypeScript compiler with a JavaScript API.
 *
 * @throws Skip if they cannot be installed
 */
export function provideTypescriptGenerator(): Promise<NpmTool> {
  return provideFolder("generated");
}

async function provideFolder(name: string): Promise<NpmTool> {
  const files = ["package.json", "package-lock.json"];
  const dir = await provideCachedDir(
    name,
    files.map((file) => readLocalFile(name, file)),
    async (making) => {
      for (const file of files) await copyFile(join(HERE, name, file), join(making, file));
      const npm = process.env.npm_execpath ?? "";
      const [command, first] = basename(npm) === "npm-cli.js" ? [process.execPath, [npm]] : ["npm", []];
      const args = [
        "ci",
        "--ignore-scripts",
        "--prefer-offline",
        "--fetch-retries=1",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
      ];
      await run(command, [...first, ...args], { cwd: making, limitMs: INSTALL_MS }).catch(
        (error: unknown) => {
          throw new Skip(`the npm packages cannot be had: ${formatReason(error)}`);
        },
      );
    },
  );
  return { dir };
}
