import { execFileSync } from "node:child_process";
import { dirname } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { LAYERS, PARTS } from "./lint/layers.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LAYERED = Object.keys(PARTS).filter((part) => part !== "app");

/** Maximum number of source files in a folder. The folders in `FLAT` are plain lists and may have more. */
const FILES_MAX = 25;
const FLAT_FILES_MAX = 45;
const FLAT = ["components/ui", "lib/i18n/en", "lib/i18n/zh"];

/** Counts the source files in each folder of the product, without tests. Includes files that are not in Git yet. */
function countFiles(): Map<string, number> {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", ...LAYERED];
  const files = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n");
  const product = files.filter((file) => /\.(ts|tsx)$/.test(file) && !/\.(test|d)\.tsx?$/.test(file));
  const counts = new Map<string, number>();
  for (const folder of product.map((file) => dirname(file)))
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return counts;
}

it("every folder of the product has exactly one layer, and every layer is a folder", () => {
  const layers = LAYERS.map(([folder]) => folder);
  expect(layers).toHaveLength(new Set(layers).size);
  expect([...countFiles().keys()].sort()).toEqual([...layers].sort());
});

it("no folder of the product has more files than a listing can show at a glance", () => {
  const full = [...countFiles()].filter(
    ([folder, files]) => files > (FLAT.includes(folder) ? FLAT_FILES_MAX : FILES_MAX),
  );
  expect(full).toEqual([]);
});
