// npm run prove:layers: plants an import for each pair of folders and checks that the linter rejects exactly those
// that the layers forbid. The planted files are removed afterwards, even after Ctrl-C.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { LAYERS, PARTS } from "./lint/layers.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CRUISER = "scripts/lint/node_modules/dependency-cruiser/bin/dependency-cruise.mjs";
const PLANTED = "planted-import.ts";

process.chdir(ROOT);
const folders = LAYERS.map(([folder]) => folder);
const planted = folders.map((folder) => posix.join(folder, PLANTED));
const removePlanted = () => {
  for (const file of planted) rmSync(file, { force: true });
};
process.on("exit", removePlanted);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/** Plants only type imports, which a check that ignores types would miss. */
for (const folder of folders) {
  const others = folders.filter((other) => other !== folder);
  const imports = others.map((other) => `import type {} from "${pathFrom(folder, pickFile(other))}";\n`);
  writeFileSync(posix.join(folder, PLANTED), imports.join(""));
}

const args = [
  CRUISER,
  "--config",
  "scripts/lint/dependency-rules.mjs",
  "--output-type",
  "json",
  ...Object.keys(PARTS),
];
const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 30 });
removePlanted();

/** @type {{ summary: { violations: { from: string, to: string, rule: { name: string } }[] } }} */
const { summary } = JSON.parse(stdout);
const found = summary.violations
  .filter(
    ({ rule, from, to }) => rule.name.startsWith("layer:") && from.endsWith(PLANTED) && !to.endsWith(PLANTED),
  )
  .map(({ from, to }) => `${posix.dirname(from)} -> ${posix.dirname(to)}`);
const expected = folders.flatMap((from, at) =>
  folders
    .filter((to, other) => to !== from && (other > at || !mayImport(from, to)))
    .map((to) => `${from} -> ${to}`),
);
const missed = expected.filter((pair) => !found.includes(pair));
const wrong = [...new Set(found)].filter((pair) => !expected.includes(pair));
for (const pair of missed) console.log(`The linter accepts ${pair}.`);
for (const pair of wrong) console.log(`The linter rejects ${pair}.`);

const pairs = folders.length * (folders.length - 1);
const failed = missed.length + wrong.length;
console.log(
  `${expected.length} of ${pairs} imports between ${folders.length} folders point up; the linter rejects them.`,
);
console.log(`${pairs - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** @param {string} folder */
function pickFile(folder) {
  const isProduct = (/** @type {string} */ name) => /\.tsx?$/.test(name) && !/\.(test|d)\.tsx?$/.test(name);
  return posix.join(folder, readdirSync(folder).find((name) => isProduct(name) && name !== PLANTED) ?? "");
}

/**
 * @param {string} folder
 * @param {string} file
 */
function pathFrom(folder, file) {
  const path = posix.relative(folder, file);
  return path.startsWith(".") ? path : `./${path}`;
}

/**
 * @param {string} from
 * @param {string} to
 */
function mayImport(from, to) {
  const part = /** @type {keyof typeof PARTS} */ (from.split("/")[0]);
  return PARTS[part].imports.some((other) => to === other || to.startsWith(`${other}/`));
}
