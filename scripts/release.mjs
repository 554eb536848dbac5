// npm run release: checks that a version can be released, packs and inspects all packages, and prints the commands that
// publish them. Publishes nothing. `--keep` also copies the tarballs to test/releases/<version>, for upgrade tests;
// `--allow-changes` skips the check for uncommitted changes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readGoModulePath } from "./pack/go-module.mjs";
import { ROOT, readRootManifest } from "./pack/package-files.mjs";
import { PACKAGES } from "./pack/packages.mjs";
import { findPython, packPython, readPythonVersion } from "./pack/python-package.mjs";
import { findChangelogFaults } from "./release/changelog.mjs";
import { inspectTarball } from "./release/tarball-checks.mjs";
import { StepError } from "./steps/child.mjs";

const options = process.argv.slice(2);
const { version } = readRootManifest();

try {
  await release();
} catch (error) {
  if (!(error instanceof StepError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function release() {
  const faults = [
    ...(options.includes("--allow-changes") ? [] : findUncommittedChanges()),
    ...findChangelogFaults(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version),
    ...findVersionFaults(),
  ];
  if (faults.length > 0)
    throw new StepError(`Version ${version} cannot be released:\n- ${faults.join("\n- ")}`);
  const tarballs = [];
  for (const name of /** @type {(keyof typeof PACKAGES)[]} */ (Object.keys(PACKAGES)))
    tarballs.push(await packAndInspect(name));
  const python = findPython();
  const archives = python === undefined ? [] : Object.values(await packPython(python));
  if (options.includes("--keep")) keep([...tarballs, ...archives]);
  printCommands(tarballs, archives);
}

/** @param {keyof typeof PACKAGES} name */
async function packAndInspect(name) {
  const packed = await PACKAGES[name]();
  const folder = mkdtempSync(join(tmpdir(), "lockkeeper-release-"));
  try {
    const findings = inspectTarball(name, packed, { folder, version });
    if (findings.length > 0)
      throw new StepError(
        `${basename(packed.tarball)} cannot be published:\n- ${findings.slice(0, 20).join("\n- ")}${findings.length > 20 ? `\n${findings.length - 20} more` : ""}`,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const hash = createHash("sha256").update(readFileSync(packed.tarball)).digest("hex");
  console.log(
    `✔ ${basename(packed.tarball)}: ${packed.files} files, ${packed.packedBytes} bytes, sha256 ${hash}`,
  );
  return packed.tarball;
}

function findUncommittedChanges() {
  const changes = git("status", "--porcelain");
  return changes === "" ? [] : [`there are uncommitted changes:\n${changes}`];
}

function findVersionFaults() {
  return [...findGoFaults(), ...findTagFaults()];
}

/**
 * Checks that the path of the Go module starts with the URL of the repository, because Go downloads the module from
 * there.
 */
function findGoFaults() {
  const url = /github\.com\/[^/]+\/[^/.]+/.exec(JSON.stringify(readRootManifest().repository ?? ""))?.[0];
  const path = readGoModulePath();
  if (url === undefined || path === `${url}/packages/go`) return [];
  return [`packages/go/go.mod is the module ${path}, but the repository is ${url}`];
}

/**
 * Checks that package-lock.json and the Python package have the version of package.json, that no base path is set for
 * the console, and that the version's Git tag does not exist or points to the current commit.
 */
function findTagFaults() {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const faults = lock.version === version ? [] : [`package-lock.json has version ${lock.version}`];
  const python = readPythonVersion();
  if (python !== version) faults.push(`the Python package has version ${python}`);
  if (process.env.LOCKKEEPER_BASE_PATH)
    faults.push("LOCKKEEPER_BASE_PATH is set, but the published console is for the root of a host");
  const tagged =
    git("tag", "--list", `v${version}`) === "" ? undefined : git("rev-list", "-n", "1", `v${version}`);
  if (tagged !== undefined && tagged !== git("rev-parse", "HEAD"))
    faults.push(`the tag v${version} exists, at another commit; raise the version in package.json`);
  return faults;
}

/** @param {string[]} tarballs */
function keep(tarballs) {
  const folder = join(ROOT, "test/releases", version);
  mkdirSync(folder, { recursive: true });
  for (const tarball of tarballs) copyFileSync(tarball, join(folder, basename(tarball)));
  console.log(`Copied to test/releases/${version}.`);
}

/**
 * @param {string[]} tarballs
 * @param {string[]} archives archives of the Python package
 */
function printCommands(tarballs, archives) {
  console.log(
    `\nNothing was published. To publish version ${version}, run the release workflow on GitHub, or:\n`,
  );
  for (const tarball of tarballs) console.log(`npm publish dist/${basename(tarball)} --access public`);
  if (archives.length > 0)
    console.log(`python3 -m twine upload ${archives.map((file) => `dist/${basename(file)}`).join(" ")}`);
  console.log(
    `git tag --annotate v${version} --message "Lockkeeper ${version}"\ngit push origin v${version}`,
  );
  // Go requires a tag with this prefix for a module in a subfolder of a repository.
  console.log(`git tag packages/go/v${version} v${version}^{}\ngit push origin packages/go/v${version}`);
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
}
