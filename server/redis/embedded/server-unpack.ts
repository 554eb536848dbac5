import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { explainFileError } from "../../errors/file-error.ts";
import { StartupError } from "../../errors/startup-error.ts";
import { isRunning } from "./server-process.ts";

const run = promisify(execFile);
const PACKAGES = ["redis-server", "valkey-server"];
/**
 * Matches packages that are never unpacked, because a copy of the C library does not match the loader of the running
 * system and crashes immediately.
 */
const NEVER_UNPACKED = /^(libc6|libc-bin)_/;

export interface UnpackOptions {
  onProgress?: ((line: string) => void) | undefined;
  /** Returns whether the server that was unpacked into `root` works. */
  works(root: string): Promise<boolean>;
  whatToDo: string;
}

export function getUnpackedDir(cacheDir: string): string {
  return join(cacheDir, "redis-server", `${process.platform}-${process.arch}`);
}

export async function canUnpack(): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const tools = run("/bin/sh", ["-c", "command -v apt-get && command -v dpkg-deb"]);
  return tools.then(
    () => true,
    () => false,
  );
}

/**
 * Unpacks a Redis server, and the libraries that this system lacks, into `dir`. Downloads the distribution's packages
 * without root privileges. apt keeps its state in a folder that is deleted afterwards.
 *
 * @throws StartupError if the server cannot be downloaded or does not work, or `dir` cannot be written
 */
export async function unpackRedisServer(dir: string, options: UnpackOptions): Promise<void> {
  const parent = dirname(dir);
  try {
    await unpackInto(parent, dir, options);
  } catch (error) {
    throw await explainFileError(
      error,
      parent,
      `A Redis server is unpacked there: make it writable and free space, or choose another folder with LOCKKEEPER_DATA_DIR. ${options.whatToDo}`,
    );
  }
}

async function unpackInto(parent: string, dir: string, options: UnpackOptions): Promise<void> {
  await mkdir(parent, { recursive: true });
  await removeLeftovers(parent);
  const work = await mkdtemp(join(parent, `unpacking-${process.pid}-`));
  const started = performance.now();
  try {
    options.onProgress?.("No Redis server here: unpacking one from the distribution's packages …");
    const root = join(work, "root");
    await mkdir(root);
    await downloadInto(join(work, "apt"), root, options);
    if (!(await options.works(root))) {
      throw new StartupError(
        `The Redis server of this distribution is too old or does not run. ${options.whatToDo}`,
      );
    }
    await moveIntoPlace(root, dir, options);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    options.onProgress?.(`Redis server unpacked, ${seconds} s`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function downloadInto(state: string, root: string, options: UnpackOptions): Promise<void> {
  await mkdir(join(state, "lists/partial"), { recursive: true });
  await mkdir(join(state, "cache/archives/partial"), { recursive: true });
  const problems: string[] = [];
  options.onProgress?.("  Reading the package lists …");
  await runApt(state, ["update"]).catch((error: Error) => problems.push(describeAptError(error)));
  for (const name of PACKAGES) {
    try {
      options.onProgress?.(`  Downloading ${name} …`);
      // `install` determines which libraries this system lacks. With `--download-only`, apt downloads the packages but
      // does not install them.
      await runApt(state, ["install", "--yes", "--no-install-recommends", "--download-only", name]);
      await extract(join(state, "cache/archives"), root);
      return;
    } catch (error) {
      problems.push(describeAptError(error));
    }
  }
  const reason = problems[0] ?? "no package";
  throw new StartupError(`apt-get could not get a Redis server: ${reason} ${options.whatToDo}`);
}

function runApt(state: string, args: string[]) {
  const settings = [
    `Dir::State=${state}`,
    "Dir::State::status=/var/lib/dpkg/status",
    `Dir::State::Lists=${state}/lists`,
    `Dir::Cache=${state}/cache`,
    "APT::Sandbox::User=",
    "APT::Get::Assume-Yes=true",
    "Debug::NoLocking=1",
    "Acquire::Retries=2",
    // Without this option, an unreachable mirror causes only a warning, and the operator sees "no such package".
    "APT::Update::Error-Mode=any",
    "Acquire::http::Timeout=20",
  ];
  return run("apt-get", [...settings.flatMap((setting) => ["-o", setting]), ...args], {
    maxBuffer: 16 * 1024 * 1024,
  });
}

async function extract(archives: string, root: string): Promise<void> {
  const debs = (await readdir(archives)).filter(
    (name) => name.endsWith(".deb") && !NEVER_UNPACKED.test(name),
  );
  for (const deb of debs) await run("dpkg-deb", ["-x", join(archives, deb), root]);
  for (const unused of ["usr/share", "etc", "var"]) {
    await rm(join(root, unused), { recursive: true, force: true });
  }
}

async function moveIntoPlace(root: string, dir: string, options: UnpackOptions): Promise<void> {
  const moved = await rename(root, dir).then(
    () => true,
    () => false,
  );
  if (moved) return;
  // Another process may have finished first. Otherwise, `dir` contains a broken copy.
  if (await options.works(dir)) return;
  await rm(dir, { recursive: true, force: true });
  await rename(root, dir);
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = /^unpacking-(\d+)-/.exec(name)?.[1];
    if (!pid || isRunning(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

function describeAptError(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  const line = text.split("\n").find((part) => part.startsWith("E:")) ?? text.split("\n", 1)[0] ?? "";
  const plain = line.replace(/^E:\s*/, "").trim();
  return plain.endsWith(".") ? plain : `${plain}.`;
}
