import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** The folder in which Debian installs Chromium and the files that the headless shell also needs. */
const SHARED_FILES = "/usr/lib/chromium";
const PACKAGE = "chromium-headless-shell";
const SHELL = `usr/lib/chromium/${PACKAGE}`;

/**
 * Returns the path of Debian's Chromium headless shell, in the same version as the installed Chromium. If necessary,
 * unpacks the shell into `cacheDir`, without root. The shell has no browser windows and opens a page
 * with 0.12 s of CPU time instead of the full browser's 0.55 s (measured with version 156).
 *
 * @param {string} cacheDir
 * @returns {Promise<string | undefined>} `undefined` if this system has no such package or the download fails
 */
export async function findHeadlessShell(cacheDir) {
  const version = await readInstalledVersion();
  if (version === undefined) return undefined;
  const dir = join(cacheDir, PACKAGE, version.replaceAll(/[^\w.-]/g, "_"));
  if (!existsSync(dir)) await unpack(dir, version).catch(() => undefined);
  const shell = join(dir, SHELL);
  return existsSync(shell) ? shell : undefined;
}

/** @returns {Promise<string | undefined>} */
async function readInstalledVersion() {
  if (!existsSync(join(SHARED_FILES, "icudtl.dat"))) return undefined;
  return run("dpkg-query", ["--status", "chromium-common"]).then(
    ({ stdout }) => /^Version: (.+)$/m.exec(stdout)?.[1],
    () => undefined,
  );
}

/**
 * @param {string} dir
 * @param {string} version
 */
async function unpack(dir, version) {
  const parent = join(dir, "..");
  await mkdir(parent, { recursive: true });
  const work = await mkdtemp(join(parent, "unpacking-"));
  try {
    const settings = ["-o", "APT::Sandbox::User=", "-o", "Acquire::http::Timeout=20"];
    await run("apt-get", [...settings, "download", `${PACKAGE}=${version}`], { cwd: work, timeout: 120_000 });
    const archive = (await readdir(work)).find((name) => name.endsWith(".deb"));
    if (archive === undefined) return;
    await run("dpkg-deb", ["-x", archive, "root"], { cwd: work });
    await linkSharedFiles(join(work, "root/usr/lib/chromium"));
    await rename(join(work, "root"), dir);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Links Chromium's files into the folder of the headless shell, which looks for ICU data, locales and libraries there.
 */
async function linkSharedFiles(/** @type {string} */ folder) {
  const own = new Set(await readdir(folder));
  for (const name of await readdir(SHARED_FILES)) {
    if (!own.has(name)) await symlink(join(SHARED_FILES, name), join(folder, name));
  }
}
