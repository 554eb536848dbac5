// npm run pack: builds all npm packages in dist. `npm run pack -- redis` builds only @lockkeeper/redis.
import { statSync } from "node:fs";
import { relative } from "node:path";
import { packGoModule } from "./pack/go-module.mjs";
import { PACKAGES } from "./pack/packages.mjs";
import { findPython, packPython } from "./pack/python-package.mjs";
import { StepError } from "./steps/child.mjs";

const wanted = process.argv.slice(2);
const known = [...Object.keys(PACKAGES), "go", "python"];

try {
  for (const name of wanted.length === 0 ? known : wanted)
    await (name === "go" ? packGo() : name === "python" ? packWheel() : pack(name));
} catch (error) {
  if (!(error instanceof StepError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** @param {string} name */
async function pack(name) {
  const build = PACKAGES[name];
  if (build === undefined)
    throw new StepError(`There is no package ${name}. The packages are ${known.join(", ")}.`);
  const { tarball, modules, scripts, files, packedBytes, unpackedBytes, dependencies } = await build();
  console.log(
    `${relative(process.cwd(), tarball)}: ${files} files, ${toKilobytes(packedBytes)} packed, ${toKilobytes(unpackedBytes)} unpacked`,
  );
  console.log(
    `  ${modules} modules and ${scripts} Lua scripts; dependencies: ${dependencies.join(", ") || "none"}`,
  );
}

function packGo() {
  const { zip, files, bytes } = packGoModule();
  console.log(`${relative(process.cwd(), zip)}: ${files} files, ${toKilobytes(bytes)} packed`);
}

async function packWheel() {
  const python = findPython();
  if (python === undefined) {
    console.log("packages/python: skipped, because there is no python3 on PATH");
    return;
  }
  for (const file of Object.values(await packPython(python)))
    console.log(`${relative(process.cwd(), file)}: ${toKilobytes(statSync(file).size)} packed`);
}

/** @param {number} bytes */
function toKilobytes(bytes) {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
