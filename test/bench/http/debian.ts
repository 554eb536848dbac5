import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { reportProgress } from "../progress.ts";

const run = promisify(execFile);
/** Matches packages that are not unpacked. A second C library crashes with the loader of the running system. */
const NEVER_UNPACKED = /^(libc6|libc-bin)_/;
const LAUNCHER = "run";

interface PackageRequest {
  readonly package: string;
  /** File name of the program in `usr/bin`. */
  readonly program: string;
  /** The folder to unpack the package into, unless it already exists. */
  readonly dir: string;
}

/**
 * Unpacks a program from the distribution's packages without root, with the libraries that this system lacks. The state
 * of apt is kept in a temporary folder.
 *
 * @returns the path of a launcher that sets the library path and executes the program
 * @throws Error with a one-line reason if this system cannot download, unpack or run the program
 */
export async function unpackPackage(wanted: PackageRequest): Promise<string> {
  const { package: name, program, dir } = wanted;
  const launcher = join(dir, LAUNCHER);
  if (existsSync(launcher)) return launcher;
  await requireTools();
  await mkdir(dirname(dir), { recursive: true });
  const work = await mkdtemp(`${dir}-unpacking-`);
  reportProgress(`Unpacking ${name} from the distribution's packages …`);
  try {
    const root = join(work, "root");
    await download(join(work, "apt"), name);
    await extract(join(work, "apt/cache/archives"), root);
    await requireLibraries(wanted, root);
    await rm(join(work, "apt"), { recursive: true });
    await writeFile(join(work, LAUNCHER), createLauncher(program, await listLibraryDirs(root)), {
      mode: 0o755,
    });
    await rename(work, dir).catch((error: Error) => {
      // Another process may have unpacked the package in the meantime.
      if (!existsSync(launcher)) throw error;
    });
    return launcher;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function requireTools(): Promise<void> {
  if (process.platform !== "linux") throw new Error(`${process.platform} has no Debian packages.`);
  await run("/bin/sh", ["-c", "command -v apt-get && command -v dpkg-deb"]).catch(() => {
    throw new Error("This system has no apt-get and dpkg-deb.");
  });
}

async function download(state: string, name: string): Promise<void> {
  await mkdir(join(state, "lists/partial"), { recursive: true });
  await mkdir(join(state, "cache/archives/partial"), { recursive: true });
  await runApt(state, ["update"]);
  // Finds and downloads the libraries that this system lacks, without installing anything.
  await runApt(state, ["install", "--yes", "--no-install-recommends", "--download-only", name]);
}

async function runApt(state: string, args: readonly string[]): Promise<void> {
  const settings = [
    `Dir::State=${state}`,
    "Dir::State::status=/var/lib/dpkg/status",
    `Dir::State::Lists=${state}/lists`,
    `Dir::Cache=${state}/cache`,
    "APT::Sandbox::User=",
    "Debug::NoLocking=1",
    "Acquire::Retries=1",
    "Acquire::http::Timeout=10",
    // By default, an unreachable mirror is only a warning, and the error would then be "no such package".
    "APT::Update::Error-Mode=any",
  ];
  const options = settings.flatMap((setting) => ["-o", setting]);
  await run("apt-get", [...options, ...args], { maxBuffer: 16 * 1024 * 1024 }).catch((error: unknown) => {
    throw new Error(`apt-get ${args[0]} failed: ${getLastLine(error)}`);
  });
}

function getLastLine(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  const line = text.split("\n").find((part) => part.startsWith("E:")) ?? text.split("\n", 1)[0] ?? "";
  return line.replace(/^E:\s*/, "").trim();
}

async function extract(archives: string, root: string): Promise<void> {
  const all = await readdir(archives);
  const debs = all.filter((name) => name.endsWith(".deb") && !NEVER_UNPACKED.test(name));
  for (const deb of debs) await run("dpkg-deb", ["-x", join(archives, deb), root]);
  for (const unused of ["usr/share", "etc", "var"]) {
    await rm(join(root, unused), { recursive: true, force: true });
  }
}

/** Lists the folders of shared libraries, relative to `root`. */
async function listLibraryDirs(root: string): Promise<string[]> {
  const dirs: string[] = [];
  for (const parent of ["usr/lib", "lib"]) {
    const names = await readdir(join(root, parent)).catch(() => []);
    dirs.push(...names.filter((name) => name.includes("-linux-")).map((name) => `${parent}/${name}`));
  }
  return dirs;
}

/** Creates the launcher script. `exec` keeps the process id, which is needed to read the CPU time. */
export function createLauncher(program: string, libraries: readonly string[]): string {
  const paths = libraries.map((dir) => `$root/${dir}`).join(":");
  return [
    "#!/bin/sh",
    'root=$(dirname -- "$0")/root',
    ...(paths === "" ? [] : [`LD_LIBRARY_PATH="${paths}"`, "export LD_LIBRARY_PATH"]),
    // etcd 3.4 refuses to start on arm64 unless this variable is set.
    ...(process.arch === "arm64" ? ["ETCD_UNSUPPORTED_ARCH=arm64", "export ETCD_UNSUPPORTED_ARCH"] : []),
    `exec "$root/usr/bin/${program}" "$@"`,
    "",
  ].join("\n");
}

/**
 * Checks that the dynamic linker finds all libraries. `ldd` fails for a statically linked program, which needs none.
 */
async function requireLibraries({ package: name, program }: PackageRequest, root: string): Promise<void> {
  const libraries = (await listLibraryDirs(root)).map((dir) => join(root, dir));
  const env: Record<string, string> = { PATH: "/usr/bin:/bin", LD_LIBRARY_PATH: libraries.join(":") };
  const options = { env: env as NodeJS.ProcessEnv };
  const { stdout } = await run("ldd", [join(root, "usr/bin", program)], options).catch(() => ({
    stdout: "",
  }));
  const missing = stdout.split("\n").find((line) => line.includes("not found"));
  if (missing !== undefined) throw new Error(`${name} does not run on this system: ${missing.trim()}.`);
}
