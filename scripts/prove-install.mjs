// npm run prove:install: installs the packed packages on a root file system with nothing but Node, as an unprivileged
// user, and uses them under each supported version of Node. Arguments limit the versions of Node:
// `npm run prove:install -- 20 24`.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findTestBinary, startTestRedis } from "../test/support/test-redis.ts";
import { PACKAGES } from "./pack/packages.mjs";
import { check, expectSame, seconds, summary } from "./prove/checks.mjs";
import { openConsole } from "./prove/console-pages.mjs";
import { findLoginLink, ROOT_KEY, STOP_MS, startServer, stopServer } from "./prove/installed-server.mjs";
import { findNode } from "./prove/node-binaries.mjs";
import { findObstacle } from "./prove/requirements.mjs";
import { HOME, RootFileSystem } from "./prove/root-file-system.mjs";
import { startStandInRegistry } from "./prove/stand-in-registry.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(ROOT, ".cache/prove-install");
const NODE_VERSIONS = [20, 22, 24, 26];
/** Maximum time from starting the command to the login link once all packages are downloaded, in milliseconds. */
const START_MS = 10_000;
const INSTALL_MS = 120_000;
const EXAMPLES = /** @type {const} */ ({ redis: "@lockkeeper/redis", client: "@lockkeeper/client" });

const obstacle = findObstacle();
if (obstacle !== undefined) {
  console.log(`Skipped: ${obstacle}.\n\n0 passed, 0 failed`);
  process.exit(0);
}

const system = new RootFileSystem(CACHE);
const redis = await startTestRedis();
/** @type {Awaited<ReturnType<typeof startStandInRegistry>> | undefined} */
let registry;
process.on("exit", () => system.remove());
for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
  process.once(name, () => process.exit(1));

try {
  await prove();
} finally {
  registry?.stop();
  await redis.stop();
}
const { line, ok } = summary();
console.log(`\n${line}`);
process.exit(ok ? 0 : 1);

async function prove() {
  /** @type {Map<string, string>} */
  const tarballs = new Map();
  for (const [name, pack] of Object.entries(PACKAGES)) {
    await check(`npm run pack builds packages/${name}`, async () => {
      const { tarball, files, packedBytes, unpackedBytes } = await pack();
      tarballs.set(name, tarball);
      return `${basename(tarball)}, ${files} files, ${megabytes(packedBytes)} packed, ${megabytes(unpackedBytes)} unpacked`;
    });
  }
  await system.prepare({ npm: findNpm() });
  registry = await startStandInRegistry(tarballs.values());
  for (const tarball of tarballs.values()) system.addFile(tarball, `/packages/${basename(tarball)}`);
  const wanted = process.argv.slice(2).map(Number);
  for (const major of wanted.length === 0 ? NODE_VERSIONS : wanted) await proveVersion(major, tarballs);
}

/**
 * @param {number} major
 * @param {ReadonlyMap<string, string>} tarballs
 */
async function proveVersion(major, tarballs) {
  const isThere = await check(`Node ${major} runs on the root file system`, async () => {
    system.installNode(await findNode(major, CACHE));
    system.resetHome(registry?.url);
    return (await system.run(["node", "--version"], { cwd: "/" })).trim();
  });
  if (!isThere) return;
  const lockkeeper = tarballs.get("lockkeeper");
  if (lockkeeper !== undefined) {
    await proveNpx(major);
    await proveInstalled(major, `/packages/${basename(lockkeeper)}`);
  }
  for (const [name, published] of Object.entries(EXAMPLES)) {
    const tarball = tarballs.get(name);
    if (tarball !== undefined) await proveExample(major, name, published, `/packages/${basename(tarball)}`);
  }
}

/** @param {number} major */
async function proveNpx(major) {
  const cwd = system.makeFolder(`${HOME}/empty-${major}`);
  const command = ["npx", "--yes", "lockkeeper"];
  await check(`Node ${major}: npx lockkeeper downloads everything and prints the login link`, async () => {
    const { started, ms } = await startServer(system, [...command, "--redis", redis.url], cwd, INSTALL_MS);
    await stopServer(started);
    return seconds(ms);
  });
  await proveServer(`Node ${major}: the next npx lockkeeper`, command, cwd);
  await check(`Node ${major}: npx writes nothing into the working directory`, () => {
    expectSame(readdirSync(join(system.dir, cwd)), [], "its content");
  });
}

/**
 * @param {number} major
 * @param {string} tarball
 */
async function proveInstalled(major, tarball) {
  const cwd = system.makeFolder(`${HOME}/app-${major}`);
  const modules = join(system.dir, cwd, "node_modules");
  const isInstalled = await check(`Node ${major}: npm installs the package`, async () => {
    await system.run(["npm", "init", "-y"], { cwd });
    const began = performance.now();
    await system.run(["npm", "install", "--ignore-scripts", "--loglevel=error", tarball], { cwd });
    const ms = performance.now() - began;
    const tree = await system.run(["npm", "ls", "--all", "--parseable"], { cwd });
    const [size = ""] = execFileSync("du", ["-sm", "--apparent-size", modules], { encoding: "utf8" }).split(
      "\t",
    );
    return `${seconds(ms)}, ${size} MB, ${tree.trim().split("\n").length - 1} packages`;
  });
  if (!isInstalled) return;
  // The unprivileged user must not be able to write into the installation, as if root had installed the package.
  execFileSync("chown", ["-R", "0:0", modules]);
  const elsewhere = system.makeFolder(`${HOME}/elsewhere-${major}`);
  const binary = installedCommand(major);
  await proveCommandLine(major, binary, elsewhere);
  await proveServer(
    `Node ${major}: an installation of root, from a different working directory`,
    [binary],
    elsewhere,
  );
  await proveOwnRedis(major, binary, elsewhere);
}

/** @param {number} major */
function installedCommand(major) {
  return `${HOME}/app-${major}/node_modules/.bin/lockkeeper`;
}

/**
 * @param {number} major
 * @param {string} binary
 * @param {string} cwd
 */
function proveCommandLine(major, binary, cwd) {
  return check(`Node ${major}: the command line runs a command under a lock, without a server`, async () => {
    const script = `echo "fence $LOCKKEEPER_FENCE"; ${binary} ls --redis ${redis.url} --json`;
    const output = await system.run(
      [binary, "run", "lock:proof:install", "--redis", redis.url, "--", "/bin/sh", "-c", script],
      { cwd },
    );
    if (!/^fence \d+$/m.test(output) || !output.includes('"lock:proof:install"'))
      throw new Error(`it printed:\n${output}`);
    return `lockkeeper ${(await system.run([binary, "--version"], { cwd })).trim()}`;
  });
}

/**
 * @param {number} major
 * @param {string} binary
 * @param {string} cwd
 */
function proveOwnRedis(major, binary, cwd) {
  return check(
    `Node ${major}: with a redis-server on PATH: login link within ${START_MS / 1000} s`,
    async () => {
      system.installRedis(await findTestBinary());
      try {
        const { started, ms } = await startServer(system, [binary], cwd, START_MS);
        const stopMs = await stopServer(started);
        if (!started.output().includes("Redis for your apps")) throw new Error(started.output());
        return `${seconds(ms)} to the login link, ${seconds(stopMs)} to stop with Redis`;
      } finally {
        system.removeRedis();
      }
    },
  );
}

/**
 * Starts the server, opens its pages and stops it.
 *
 * @param {string} name
 * @param {string[]} command
 * @param {string} cwd
 */
function proveServer(name, command, cwd) {
  return check(
    `${name}: login link within ${START_MS / 1000} s, pages, SIGTERM within ${STOP_MS / 1000} s`,
    async () => {
      const { started, ms } = await startServer(system, [...command, "--redis", redis.url], cwd, START_MS);
      let stopMs = 0;
      try {
        await openConsole(findLoginLink(started));
      } finally {
        stopMs = await stopServer(started);
      }
      return `${seconds(ms)} to the login link, ${seconds(stopMs)} to stop`;
    },
  );
}

/**
 * @param {number} major
 * @param {string} name
 * @param {string} published
 * @param {string} tarball
 */
function proveExample(major, name, published, tarball) {
  return check(`Node ${major}: ${published} is installed, and its example runs`, async () => {
    const cwd = system.makeFolder(`${HOME}/${name}-${major}`);
    await system.run(["npm", "init", "-y"], { cwd });
    await system.run(["npm", "install", "--ignore-scripts", "--loglevel=error", tarball], { cwd });
    system.addFile(join(ROOT, "packages", name, "example.mjs"), `${cwd}/example.mjs`);
    const server =
      name === "client"
        ? await startServer(system, [installedCommand(major), "--redis", redis.url], cwd, START_MS)
        : undefined;
    try {
      const [, url = ""] = findLoginLink(server?.started) ?? [];
      const env = { REDIS_URL: redis.url, LOCKKEEPER_URL: url, LOCKKEEPER_API_KEY: ROOT_KEY };
      const output = await system.run(["node", "example.mjs"], { cwd, env });
      if (!output.includes("Released")) throw new Error(`it printed:\n${output}`);
    } finally {
      if (server !== undefined) await stopServer(server.started);
    }
  });
}

function findNpm() {
  const path = execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim();
  const npm = join(path, "npm");
  if (existsSync(join(npm, "bin/npm-cli.js"))) return npm;
  throw new Error(`npm is not in ${path}`);
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
