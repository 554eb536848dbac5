import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { GO_MODULE, packGoModule, readGoModulePath } from "./go-module.mjs";
import { readRootManifest } from "./package-files.mjs";

it("the zip file of the Go module is the same bytes each time", () => {
  const folder = mkdtempSync(join(tmpdir(), "lockkeeper-go-"));
  try {
    const builds = ["first", "second"].map((name) => readFileSync(packGoModule(join(folder, name)).zip));
    expect(builds[0]).toEqual(builds[1]);
    const [zip = Buffer.alloc(0)] = builds;
    const nameLength = zip.readUInt16LE(26);
    const prefix = `${readGoModulePath()}@v${readRootManifest().version}/`;
    expect(zip.toString("utf8", 30, 30 + nameLength).startsWith(prefix)).toBe(true);
    const content = inflateRawSync(
      zip.subarray(30 + nameLength, 30 + nameLength + zip.readUInt32LE(18)),
    ).toString();
    const name = zip.toString("utf8", 30 + prefix.length, 30 + nameLength);
    expect(content).toBe(readFileSync(join(GO_MODULE, name), "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("the Go module imports only the standard library", () => {
  const module = readFileSync(join(GO_MODULE, "go.mod"), "utf8");
  expect(module).not.toContain("require");
});
