import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundleModules } from "./bundled-modules.mjs";
import { createManifest } from "./lockkeeper-package.mjs";
import { ROOT } from "./package-files.mjs";

const target = mkdtempSync(join(tmpdir(), "lockkeeper-bundle-"));
afterAll(() => rmSync(target, { recursive: true, force: true }));

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const root = readJson(join(ROOT, "package.json"));

test("npm installs what the server imports, in the ranges of the repository, and no more of Next than is bundled", () => {
  const manifest = createManifest(["ioredis", "pino"], { next: "16.4.5", react: "19.3.1" });
  expect(manifest).toMatchObject({
    name: "lockkeeper",
    version: root.version,
    engines: root.engines,
    bin: { lockkeeper: "bin/lockkeeper.js" },
    bundleDependencies: ["next", "react"],
    dependencies: {
      ioredis: root.dependencies.ioredis,
      next: "16.4.5",
      pino: root.dependencies.pino,
      react: "19.3.1",
    },
  });
  expect(manifest).not.toHaveProperty("scripts");
  expect(manifest).not.toHaveProperty("private");
});

test("a bundled package has its traced files, its license, and nothing that makes npm install more", () => {
  const files = ["node_modules/next/dist/server/next.js", "node_modules/@opentelemetry/api/package.json"];
  const versions = bundleModules(files, { target, separate: ["@opentelemetry/api"] });
  const installed = readJson(join(ROOT, "node_modules/next/package.json"));
  expect(versions).toEqual({ next: installed.version });
  const manifest = readJson(join(target, "node_modules/next/package.json"));
  expect(manifest).toMatchObject({ name: "next", version: installed.version, license: "MIT" });
  for (const field of ["dependencies", "optionalDependencies", "peerDependencies", "bin", "scripts"])
    expect(manifest).not.toHaveProperty(field);
  expect(existsSync(join(target, "node_modules/next/dist/server/next.js"))).toBe(true);
  expect(existsSync(join(target, "node_modules/next/license.md"))).toBe(true);
  expect(existsSync(join(target, "node_modules/@opentelemetry"))).toBe(false);
});
