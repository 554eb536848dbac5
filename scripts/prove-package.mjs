// npm run prove:package: packs @lockkeeper/redis, installs the tarball in an empty folder, and runs and compiles
// programs that use it as any application would: on Node 20 and 24, without a loader.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startTestRedis } from "../test/support/test-redis.ts";
import { packRedisLibrary } from "./pack/redis-package.mjs";
import { check, expectSame, summary } from "./prove/checks.mjs";
import { findNode } from "./prove/node-binaries.mjs";
import { runChild } from "./steps/child.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NODE_VERSIONS = [20, 24];
const KEY = "lock:orders:42";
/** The output of packages/redis/example.mjs. */
const PRINTED = /^Acquired lock:orders:42, fencing token \d+\nRefused: held\nReleased\n$/;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "lockkeeper-package-")));
const app = join(folder, "app");
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string | undefined>} [env]
 */
async function run(command, args, cwd, env = {}) {
  const { code, output } = await runChild(command, args, {
    cwd,
    env: { NODE_OPTIONS: undefined, ...env },
    capture: true,
  });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with exit code ${code}:\n${output}`);
  return output;
}

/**
 * @param {string} dir
 * @param {string[]} packages
 */
function install(dir, packages) {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  return run("npm", ["install", ...options, ...packages], dir);
}

/** @param {string} dir */
function createProject(dir) {
  mkdirSync(dir);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true }));
}

/** @param {import("../test/support/test-redis.ts").TestRedis} redis */
async function proveExample(redis) {
  copyFileSync(join(ROOT, "packages/redis/example.mjs"), join(app, "example.mjs"));
  for (const major of NODE_VERSIONS) {
    await check(`the example runs on Node ${major} without a loader`, async () => {
      const node = await findNode(major, folder);
      const output = await run(node, ["example.mjs"], app, { REDIS_URL: redis.url });
      if (!PRINTED.test(output)) throw new Error(`it printed:\n${output}`);
      expectSame(await redis.createClient().exists(KEY), 0, `EXISTS ${KEY}`);
      return (await run(node, ["--version"], app)).trim();
    });
  }
}

function proveTypes() {
  return check("a strict TypeScript program compiles with skipLibCheck: false", async () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    await install(app, ["--save-dev", `@types/node@${devDependencies["@types/node"]}`]);
    copyFileSync(join(ROOT, "scripts/prove/package-consumer.mts"), join(app, "consumer.mts"));
    const compilerOptions = {
      target: "es2022",
      module: "nodenext",
      moduleResolution: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      types: ["node"],
    };
    writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.mts"] }));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    await run(process.execPath, [tsc], app);
    return (await run(process.execPath, [tsc, "--version"], app)).trim();
  });
}

async function prove() {
  let tarball = "";
  const isPacked = await check("npm run pack builds the package", async () => {
    const packed = await packRedisLibrary();
    tarball = packed.tarball;
    return `${packed.files} files, ${(packed.packedBytes / 1000).toFixed(0)} kB packed, ${(packed.unpackedBytes / 1000).toFixed(0)} kB unpacked`;
  });
  if (!isPacked) return;
  const isInstalled = await check("npm installs the tarball in an empty folder", async () => {
    createProject(app);
    await install(app, [tarball]);
    const installed = await run("npm", ["ls", "--all", "--parseable"], app);
    return `${installed.trim().split("\n").length - 1} packages, dependencies included`;
  });
  if (!isInstalled) return;
  const redis = await startTestRedis();
  try {
    await proveExample(redis);
  } finally {
    await redis.stop();
  }
  await proveTypes();
}

await prove();
const { line, ok } = summary();
console.log(`\n${line}`);
process.exit(ok ? 0 : 1);
