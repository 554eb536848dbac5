import { expect, test } from "vitest";
import { ROOT } from "../pack/package-files.mjs";
import { inspectFile } from "./tarball-checks.mjs";

const inspect = (path: string, text = "export {};") => inspectFile("lockkeeper", path, Buffer.from(text));

test.each([
  "package.json",
  "bin/lockkeeper.js",
  "cli/main.js",
  "server/locks/verbs/acquire.lua",
  ".next/BUILD_ID",
  ".next/server/chunks/[root-of-the-server]__0abc._.js",
  "public/samples/safe-lock.mts",
  "node_modules/next/dist/server/next.js",
])("%s may be in the package", (path) => {
  expect(inspect(path)).toEqual([]);
});

test.each([
  ["server/locks/hold.ts", "is not an expected file"],
  ["server/locks/hold.js.map", "is not an expected file"],
  [".next/cache/entry.json", "is not an expected file"],
  ["node_modules/tsx/dist/cli.mjs", "is not an expected file"],
  [".npmrc", "is not an expected file"],
  ["server/locks/hold.test.js", "is a test"],
])("%s may not be in the package", (path, finding) => {
  expect(inspect(path)).toContain(`${path} ${finding}`);
});

test.each([
  ["a path of the build machine", `import "${ROOT}server/main.js";`],
  ["an API key", `const key = "lk_${"a".repeat(43)}";`],
  ["a private key", "-----BEGIN RSA PRIVATE KEY-----"],
  ["a token of npm", `const token = "npm_${"a1".repeat(18)}";`],
  ["an import of a path alias", 'import { z } from "@/lib/contract/zod.ts";'],
])("compiled code with %s is refused", (_, text) => {
  expect(inspect("server/main.js", text)).toHaveLength(1);
});

test("a bundled package may contain tests and examples of keys, but no path of the build machine", () => {
  expect(inspect("node_modules/next/dist/test/index.js", "-----BEGIN PRIVATE KEY-----")).toEqual([]);
  expect(inspect("node_modules/next/dist/index.js", ROOT)).toHaveLength(1);
});
