import { createRequire } from "node:module";
import { join } from "node:path";
import type { NpmTool } from "./steps/npm.ts";

/** A package of test/interop/npm; its types are what the caller uses of it. */
export function requireNpmModule<Module>(npm: NpmTool, name: string): Module {
  return createRequire(join(npm.dir, "package.json"))(name) as Module;
}
