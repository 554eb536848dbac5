import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../children.ts";
import { HERE } from "../steps/cached-dir.ts";
import type { NpmTool } from "../steps/npm.ts";
import { COMPILE_MS, type Command, DOCUMENT, GENERATE_MS } from "./smoke-client.ts";

const FILES: Readonly<Record<string, object>> = {
  "package.json": { type: "module" },
  "openapi-ts.config.json": {
    input: DOCUMENT,
    output: { path: "client", importFileExtension: ".js" },
    logs: { level: "silent" },
  },
  "tsconfig.json": {
    compilerOptions: {
      ...{ module: "nodenext", target: "es2023", strict: true, skipLibCheck: true, outDir: "out" },
      types: ["node"],
    },
    include: ["smoke.mts", "client/**/*.ts"],
  },
};

/** Generates a client with @hey-api/openapi-ts and compiles it with smoke.mts. */
export async function compileTypescriptSmoke(dir: string, tool: NpmTool): Promise<Command> {
  const modules = join(tool.dir, "node_modules");
  await symlink(modules, join(dir, "node_modules"));
  for (const [name, content] of Object.entries(FILES))
    await writeFile(join(dir, name), JSON.stringify(content));
  await cp(join(HERE, "generated/smoke.mts"), join(dir, "smoke.mts"));
  await mkdir(join(dir, "out"));
  const bin = (name: string) => join(modules, ".bin", name);
  await run(bin("openapi-ts"), ["-f", "openapi-ts.config.json"], { cwd: dir, limitMs: GENERATE_MS });
  await run(bin("tsc"), ["-p", "."], { cwd: dir, limitMs: COMPILE_MS });
  return [process.execPath, "out/smoke.mjs"];
}
