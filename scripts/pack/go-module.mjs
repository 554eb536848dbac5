// Builds the zip file of the Go module. Does not require Go.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DIST, ROOT, readRootManifest } from "./package-files.mjs";
import { createZip } from "./zip-file.mjs";

export const GO_MODULE = join(ROOT, "packages/go");

/** Returns the module path in go.mod, which is the import path of the module. */
export function readGoModulePath() {
  return /^module (\S+)$/m.exec(readFileSync(join(GO_MODULE, "go.mod"), "utf8"))?.[1] ?? "";
}

/**
 * Writes dist/lockkeeper-go-<version>.zip, in the format of a module proxy. Identical files produce identical bytes.
 *
 * @param {string} [folder]
 * @returns {{ zip: string, files: number, bytes: number }}
 */
export function packGoModule(folder = DIST) {
  const { version } = readRootManifest();
  const names = readdirSync(GO_MODULE).filter((name) => /\.(?:go|md|mod)$/.test(name));
  const entries = [...names.map((name) => join(GO_MODULE, name)), join(ROOT, "LICENSE")].map((path) => ({
    name: `${readGoModulePath()}@v${version}/${path.slice(path.lastIndexOf("/") + 1)}`,
    content: readFileSync(path),
  }));
  const content = createZip(entries);
  const zip = join(folder, `lockkeeper-go-${version}.zip`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(zip, content);
  return { zip, files: entries.length, bytes: content.length };
}

/**
 * Writes the files of a module proxy that contains only this module, for `GOPROXY=file://<folder>`.
 *
 * @param {string} folder
 */
export function writeGoProxy(folder) {
  const version = `v${readRootManifest().version}`;
  const versions = join(folder, readGoModulePath(), "@v");
  const { zip } = packGoModule(folder);
  mkdirSync(versions, { recursive: true });
  writeFileSync(join(versions, "list"), `${version}\n`);
  writeFileSync(
    join(versions, `${version}.info`),
    JSON.stringify({ Version: version, Time: "2026-01-01T00:00:00Z" }),
  );
  writeFileSync(join(versions, `${version}.mod`), readFileSync(join(GO_MODULE, "go.mod")));
  writeFileSync(join(versions, `${version}.zip`), readFileSync(zip));
}
