import { execFile } from "node:child_process";
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "../../errors/startup-error.ts";
import { canUnpack, getUnpackedDir, unpackRedisServer } from "./server-unpack.ts";

const run = promisify(execFile);
const NAMES = ["redis-server", "valkey-server"];
const PREFIXES = ["/usr", "/usr/local", "/opt/homebrew", "/home/linuxbrew/.linuxbrew"];
const KEG_HOMES = ["/opt/homebrew/opt", "/usr/local/opt"];
const OLDEST = { redis: [6, 2], valkey: [7, 2] } as const;

export interface RedisServerBinary {
  path: string;
  /**
   * The folders with the shared libraries of an unpacked server, separated by colons. `undefined` if the server was not
   * unpacked.
   */
  libraryPath?: string;
  version: string;
  source: "configured" | "installed" | "unpacked";
}

export interface FindServerOptions {
  /** The path of the only binary to use, from `REDIS_SERVER_BIN`; `undefined` to search for a binary. */
  explicitPath?: string;
  cacheDir: string;
  onProgress?: (line: string) => void;
}

export interface ServerVersion {
  product: "redis" | "valkey";
  version: string;
  supported: boolean;
}

/** Parses the output of `--version`. Returns `undefined` unless the program is Redis or Valkey. */
export function parseServerVersion(output: string): ServerVersion | undefined {
  const match = /^(?:(redis|valkey) )?server v=((\d+)\.(\d+)\.\d+\S*)/i.exec(output.trim());
  if (!match) return undefined;
  const [, name, version = "", major, minor] = match;
  // Some Valkey 7.2 builds omit their name: "Server v=7.2.4".
  const product = name?.toLowerCase() === "redis" ? "redis" : "valkey";
  const [oldMajor, oldMinor] = OLDEST[product];
  const supported = Number(major) > oldMajor || (Number(major) === oldMajor && Number(minor) >= oldMinor);
  return { product, version, supported };
}

/**
 * Returns the environment variables for `binary`, or `undefined` to use Lockkeeper's own environment. An unpacked
 * server gets a minimal environment, because an LD_LIBRARY_PATH for other programs must not affect its libraries.
 */
export function buildServerEnvironment(
  binary: Pick<RedisServerBinary, "libraryPath">,
): NodeJS.ProcessEnv | undefined {
  if (!binary.libraryPath) return undefined;
  const bare: Record<string, string> = { PATH: "/usr/bin:/bin", LD_LIBRARY_PATH: binary.libraryPath };
  return bare as NodeJS.ProcessEnv;
}

/**
 * Finds a Redis or Valkey server binary that works on this machine. If no binary works, unpacks a server into
 * `cacheDir`. With `explicitPath`, only checks that binary.
 *
 * @throws StartupError if no usable binary was found or unpacked
 */
export async function findRedisServer(options: FindServerOptions): Promise<RedisServerBinary> {
  if (options.explicitPath) return findConfigured(options.explicitPath);
  const seen: string[] = [];
  const found = (await findInstalled(seen)) ?? (await findUnpacked(options, seen));
  if (found) return found;
  const passed = seen.length > 0 ? ` (passed over: ${seen.join(", ")})` : "";
  throw new StartupError(`No usable Redis server was found on this machine${passed}. ${formatAdvice()}`);
}

async function findConfigured(path: string): Promise<RedisServerBinary> {
  const name = `REDIS_SERVER_BIN is set to ${path}, but`;
  const output = await readVersionOutput({ path }).catch((error: Error) => {
    throw new StartupError(`${name} that cannot be run: ${getFirstLine(error.message)}`);
  });
  const version = parseServerVersion(output);
  if (!version) throw new StartupError(`${name} that is not a Redis or Valkey server.`);
  if (!version.supported) {
    throw new StartupError(
      `${name} that is ${version.product} ${version.version}: Redis 6.2, Valkey 7.2 or newer is needed.`,
    );
  }
  return { path, version: version.version, source: "configured" };
}

async function findInstalled(seen: string[]): Promise<RedisServerBinary | undefined> {
  for (const path of await listCandidates()) {
    const version = await verifyBinary({ path }, seen);
    if (version) return { path, version, source: "installed" };
  }
  return undefined;
}

async function findUnpacked(
  options: FindServerOptions,
  seen: string[],
): Promise<RedisServerBinary | undefined> {
  const dir = getUnpackedDir(options.cacheDir);
  const kept = await findInDirectory(dir, []);
  if (kept) return kept;
  if (!(await canUnpack())) return undefined;
  await unpackRedisServer(dir, {
    onProgress: options.onProgress,
    works: async (root) => (await findInDirectory(root, seen)) !== undefined,
    whatToDo: formatAdvice(),
  });
  return findInDirectory(dir, seen);
}

async function findInDirectory(root: string, seen: string[]): Promise<RedisServerBinary | undefined> {
  const libraryPath = (await listLibraryDirs(root)).join(":");
  for (const name of NAMES) {
    const path = join(root, "usr/bin", name);
    const version = await verifyBinary({ path, libraryPath }, seen);
    if (version) return { path, libraryPath, version, source: "unpacked" };
  }
  return undefined;
}

async function listLibraryDirs(root: string): Promise<string[]> {
  const dirs: string[] = [];
  for (const parent of [join(root, "usr/lib"), join(root, "lib")]) {
    const names = await readdir(parent).catch(() => []);
    dirs.push(...names.filter((name) => name.includes("-linux-")).map((name) => join(parent, name)));
  }
  return dirs;
}

async function listCandidates(): Promise<string[]> {
  const paths = await listOnPath();
  for (const prefix of PREFIXES) paths.push(...NAMES.map((name) => join(prefix, "bin", name)));
  for (const home of KEG_HOMES) {
    const kegs = await readdir(home).catch(() => []);
    for (const keg of kegs.filter((name) => /^(redis|valkey)(@|$)/.test(name))) {
      paths.push(...NAMES.map((name) => join(home, keg, "bin", name)));
    }
  }
  return [...new Set(paths)];
}

async function listOnPath(): Promise<string[]> {
  // A shell searches PATH, because only server/config/config.ts may read the environment. The script looks up each name
  // separately.
  const script = 'for name in "$@"; do command -v "$name"; done; true';
  const { stdout } = await run("/bin/sh", ["-c", script, "sh", ...NAMES]).catch(() => ({ stdout: "" }));
  return stdout.split("\n").filter((line) => line.startsWith("/"));
}

async function verifyBinary(
  binary: Pick<RedisServerBinary, "path" | "libraryPath">,
  seen: string[],
): Promise<string | undefined> {
  const exists = await realpath(binary.path).catch(() => undefined);
  if (!exists) return undefined;
  const output = await readVersionOutput(binary).catch(() => "");
  const version = parseServerVersion(output);
  if (version?.supported) return version.version;
  const why = version ? `is ${version.product} ${version.version}, too old` : "does not run";
  seen.push(`${binary.path} ${why}`);
  return undefined;
}

async function readVersionOutput(binary: Pick<RedisServerBinary, "path" | "libraryPath">): Promise<string> {
  const { stdout } = await run(binary.path, ["--version"], {
    env: buildServerEnvironment(binary),
    timeout: 5_000,
  });
  return stdout;
}

function formatAdvice(): string {
  const install = process.platform === "darwin" ? "`brew install redis`" : formatLinuxAdvice();
  return `Install one (${install}), set REDIS_URL to a Redis you have, or REDIS_SERVER_BIN to a redis-server.`;
}

function formatLinuxAdvice(): string {
  return "Debian/Ubuntu: `apt-get install redis-server`; elsewhere your package manager's redis or valkey, 6.2 / 7.2 or newer";
}

function getFirstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}
