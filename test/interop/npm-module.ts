import { createRequire } from "node:module";
import { join } from "node:path";
import type { NpmTool } from "./steps/npm.ts";

/** Loads a package of test/interop/npm. `Module` describes the subset of its API that is used. */
export function requireNpmModule<Module>(npm: NpmTool, name: string): Module {
  return createRequire(join(npm.dir, "package.json"))(name) as Module;
}
