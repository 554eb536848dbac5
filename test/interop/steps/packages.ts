import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { addCleanUp, run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { CACHE, provideCachedDir } from "./cached-dir.ts";
import { findProgram } from "./find.ts";

const UPDATE_MS = 60_000;
const DOWNLOAD_MS = 120_000;
const EXTRACT_MS = 30_000;
/**
 * Matches packages that are not unpacked: the C library, which must be that of the running system, and large packages
 * that are not needed.
 */
const NEVER_UNPACKED = /^(libc6|libc-bin|libllvm\d+|libz3-4|perl\S*|libperl\S*)_/;

/**
 * Unpacks a package of the distribution and the libraries that this machine lacks into a folder in the cache. It needs
 * no root and does not change the system, because nothing is installed.
 *
 * @returns the folder
 * @throws Skip if the package cannot be downloaded or unpacked
 */
export async function unpackPackage(name: string): Promise<string> {
  if (findProgram("apt-get") === undefined || findProgram("dpkg-deb") === undefined) {
    throw new Skip(`no ${name} on this machine, and no apt-get to bring it`);
  }
  return await provideCachedDir(getPackageFolder(name), [name, process.arch], async (dir) => {
    try {
      const archives = await download(name);
      const debs = (await readdir(archives)).filter(
        (deb) => deb.endsWith(".deb") && !NEVER_UNPACKED.test(deb),
      );
      for (const deb of debs)
        await run("dpkg-deb", ["-x", join(archives, deb), dir], { limitMs: EXTRACT_MS });
    } catch (error) {
      throw new Skip(`${name} cannot be had: ${formatReason(error)}`);
    }
  });
}

/** Returns the path of the cache folder for a package, which may not exist. */
export function getPackageDir(name: string): string {
  return join(CACHE, getPackageFolder(name));
}

function getPackageFolder(name: string): string {
  return `packages/${name}`;
}

/** Returns the value of LD_LIBRARY_PATH for a program that was unpacked into `root`. */
export async function findLibraryPath(root: string): Promise<string> {
  const dirs: string[] = [];
  for (const parent of [join(root, "usr/lib"), join(root, "lib")]) {
    if (!existsSync(parent)) continue;
    const names = (await readdir(parent)).filter((name) => name.includes("-linux-"));
    dirs.push(...names.map((name) => join(parent, name)));
  }
  return dirs.join(":");
}

async function download(name: string): Promise<string> {
  const state = await fetchLists();
  const cache = await mkdtemp(join(state, "cache-"));
  await mkdir(join(cache, "archives/partial"), { recursive: true });
  const settings = [...createAptSettings(state), "-o", `Dir::Cache=${cache}`];
  const wanted = ["install", "--yes", "--no-install-recommends", "--download-only", name];
  // Finds and downloads the libraries that this system lacks, without installing anything.
  await run("apt-get", [...settings, ...wanted], { limitMs: DOWNLOAD_MS });
  return join(cache, "archives");
}

let updated: Promise<string> | undefined;

/** Downloads apt's package lists into a separate folder. Further calls in this process return the same folder. */
function fetchLists(): Promise<string> {
  updated ??= update();
  return updated;
}

async function update(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const state = await mkdtemp(join(CACHE, `making-${process.pid}-apt-`));
  addCleanUp(() => rm(state, { recursive: true, force: true }));
  await mkdir(join(state, "lists/partial"), { recursive: true });
  const settings = [...createAptSettings(state), "-o", `Dir::Cache=${join(state, "cache")}`];
  // Lists that cannot be downloaded are ignored here. If the package is not found because of that, the later download
  // fails.
  await run("apt-get", [...settings, "-qq", "update"], { limitMs: UPDATE_MS });
  return state;
}

function createAptSettings(state: string): string[] {
  return [
    `Dir::State=${state}`,
    "Dir::State::status=/var/lib/dpkg/status",
    `Dir::State::Lists=${state}/lists`,
    "APT::Sandbox::User=",
    "Debug::NoLocking=1",
    "Acquire::Retries=2",
    "Acquire::http::Timeout=20",
  ].flatMap((setting) => ["-o", setting]);
}
