import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findDependencies } from "./package-files.mjs";

const folder = mkdtempSync(join(tmpdir(), "lockkeeper-modules-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeModule(code: string): string[] {
  const file = join(folder, "module.js");
  writeFileSync(file, code);
  return [file];
}

const ALLOWED = ["ioredis", "@opentelemetry/api"];

test("dependencies are the packages of static and dynamic imports, without subpaths", () => {
  const modules = writeModule(`
import { a } from "ioredis/built/utils";
import "node:fs";
import { b } from "../lib/b.js";
export { c } from "./c.js";
const api = await import("@opentelemetry/api");
`);
  expect(findDependencies(folder, modules, ALLOWED)).toEqual(["@opentelemetry/api", "ioredis"]);
});

test.each([
  'import tsx from "tsx";',
  'import "tsx/esm";',
  'export { x } from "@/lib/x.js";',
  'import {\n  a,\n} from "vitest";',
  'const x = await import("vitest");',
])("%s fails the build", (code) => {
  expect(() => findDependencies(folder, writeModule(code), ALLOWED)).toThrow("the package may depend on");
});
