// npm run prove:image: builds the container image from local stand-ins for its base images, and runs it as a random
// user on a read-only root file system. Requires Debian, root, buildah and mmdebstrap. Without them, the checks are
// skipped.
import { randomBytes, randomInt } from "node:crypto";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort, startTestRedis } from "../test/support/test-redis.ts";
import { check, expectSame, seconds, summary } from "./prove/checks.mjs";
import { Container } from "./prove/container.mjs";
import { findObstacle, ImageBuild } from "./prove/image-build.mjs";
import { packIfOutdated, version } from "./prove/packed.mjs";
import { runTool, skip } from "./prove/tools.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const START_MS = 15_000;
const STOP_MS = 3_000;
const KEY = "lock:orders:42";
const rootKey = randomBytes(30).toString("base64url");

/** @typedef {import("./prove/container.mjs").ContainerProcess} ContainerProcess */
/** @typedef {{ container: Container, main: ContainerProcess, url: string, port: number }} Started */

/** @param {string} root */
function measureMegabytes(root) {
  const [bytes = "0"] = runTool("du", ["--summarize", "--bytes", root]).split("\t");
  return Number(bytes) / 1_000_000;
}

/**
 * @param {ReturnType<ImageBuild["mount"]>} mounted
 * @param {number} baseBytes
 */
async function proveConfig({ root, config }, baseBytes) {
  await check("the image describes how to run it", () => {
    const { User, Entrypoint, Cmd, ExposedPorts, Volumes, StopSignal, Healthcheck } = config;
    expectSame(User, "10001:10001", "the user");
    expectSame([Entrypoint, Cmd], [["lockkeeper"], ["serve"]], "the command");
    expectSame([ExposedPorts, Volumes], [{ "3000/tcp": {} }, { "/data": {} }], "the port and the volume");
    expectSame(StopSignal, "SIGTERM", "the stop signal");
    expectSame(Healthcheck.Test[0], "CMD", "the type of the health check");
    expectSame(config.Labels["org.opencontainers.image.version"], version, "the version");
  });
  await check("the image contains no npm and no compiler", () => {
    const found = ["usr/local/bin/npm", "usr/local/lib/node_modules", "usr/bin/gcc"].filter((path) =>
      existsSync(join(root, path)),
    );
    expectSame(found, [], "what was found");
    const parts = ["usr/local/bin/node", "opt/lockkeeper"].map((path) =>
      measureMegabytes(join(root, path)).toFixed(0),
    );
    const [node, ours] = parts;
    return `${measureMegabytes(root).toFixed(0)} MB unpacked: base ${(baseBytes / 1e6).toFixed(0)} MB, Node ${node} MB, Lockkeeper ${ours} MB`;
  });
}

/**
 * @param {Container} container
 * @param {Record<string, string>} variables
 * @returns {Promise<Started & { ms: number }>}
 */
async function start(container, variables) {
  const port = await findFreePort();
  const main = container.start({ PORT: String(port), ...variables });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  const ms = await main.until(isReady, START_MS);
  return { container, main, url, port, ms };
}

/** @param {Started} started */
async function proveHealth({ container, main, port }) {
  await check("the health check of the image passes while it runs, and fails otherwise", async () => {
    const [, ...command] = container.settings.config.Healthcheck.Test;
    const healthy = await container.run(command, { PORT: String(port) });
    expectSame([healthy.code, healthy.output], [0, "/healthz: 200 ok\n"], "the result");
    const { code, output } = await container.run(command, { PORT: String(await findFreePort()) });
    expectSame([code, output.includes("ECONNREFUSED")], [1, true], "the result without Lockkeeper");
  });
  await check("the main process is process 1, as an unprivileged user without capabilities", () => {
    const status = readFileSync(`/proc/${main.pid}/status`, "utf8");
    const read = (/** @type {string} */ name) =>
      new RegExp(`^${name}:\\s+(.*)$`, "m").exec(status)?.[1]?.split(/\s+/).at(-1);
    expectSame(read("NSpid"), "1", "its PID in the container");
    expectSame(read("Uid"), String(container.settings.uid), "its user");
    expectSame(read("CapEff"), "0000000000000000", "its capabilities");
    return `user ${read("Uid")}, ${(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_000).toFixed(0)} MB resident`;
  });
}

/** @param {Container} container */
async function proveReadOnly(container) {
  await check("only /data can be written", async () => {
    const script = `const { writeFileSync } = require("node:fs");
      for (const folder of ["/", "/opt/lockkeeper", "/tmp", "/etc", "/var", "/data"])
        try { writeFileSync(folder + "/written", ""); console.log(folder + " ok"); }
        catch ({ code }) { console.log(folder + " " + code); }`;
    const { output } = await container.run(["node", "-e", script]);
    const expected = ["/", "/opt/lockkeeper", "/tmp", "/etc", "/var"].map((folder) => `${folder} EROFS`);
    expectSame(output.trim().split("\n"), [...expected, "/data ok"], "the result");
    return output.trim().replaceAll("\n", ", ");
  });
}

/**
 * @param {Started} started
 * @param {import("../test/support/test-redis.ts").TestRedis} redis
 */
async function proveUse({ url }, redis) {
  await check("a lock is acquired over the API", async () => {
    const headers = { authorization: `Bearer ${rootKey}`, "content-type": "application/json" };
    const path = `${url}/api/v1/locks/${encodeURIComponent(KEY)}/acquire`;
    const response = await fetch(path, { method: "POST", headers, body: "{}" });
    expectSame(response.status, 201, "the status");
    expectSame(await redis.createClient().exists(KEY), 1, `EXISTS ${KEY}`);
    return `fencing token ${(await response.json()).fence}`;
  });
  await check("the console and its scripts are served", async () => {
    const page = await fetch(`${url}/login`);
    const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    expectSame(
      [page.status, (await fetch(`${url}${script}`)).status],
      [200, 200],
      `the status of /login and ${script}`,
    );
  });
}

/** @param {Started} started @param {Record<string, string>} variables */
async function proveLogin({ container, port }, variables) {
  await check("`lockkeeper login` in the container prints a login link", async () => {
    const login = [...container.settings.config.Entrypoint, "login"];
    const { code, output } = await container.run(login, { PORT: String(port), ...variables });
    if (code !== 0 || !/\/login#\S+/.test(output)) throw new Error(`exit code ${code}: ${output}`);
  });
}

/** @param {ContainerProcess} main */
function proveStop(main) {
  return check(
    `SIGTERM to process 1 ends the container with exit code 0 within ${STOP_MS / 1_000} s`,
    async () => {
      const { code, ms } = await main.stop();
      expectSame(code, 0, "the exit code");
      if (ms > STOP_MS) throw new Error(`it took ${seconds(ms)}`);
      return seconds(ms);
    },
  );
}

/** @param {Container} container */
async function proveWithRedis(container) {
  const redis = await startTestRedis();
  try {
    /** @type {Started | undefined} */
    let found;
    const variables = { REDIS_URL: redis.url, LOCKKEEPER_ROOT_KEY: rootKey };
    await check("the image starts with REDIS_URL, as a random user on a read-only root", async () => {
      const { ms, ...started } = await start(container, variables);
      found = started;
      return `ready after ${seconds(ms)}`;
    });
    if (found === undefined) return;
    await proveHealth(found);
    await proveReadOnly(container);
    await proveUse(found, redis);
    await proveLogin(found, variables);
    await proveStop(found.main);
  } finally {
    await redis.stop();
  }
}

/** @param {Container} container */
async function proveWithoutRedis({ settings }) {
  // Platforms that assign a random user ID may not set HOME, and the user is not in /etc/passwd.
  const Env = settings.config.Env.filter((variable) => !variable.startsWith("HOME="));
  const container = new Container({ ...settings, config: { ...settings.config, Env } });
  /** @type {Started | undefined} */
  let found;
  await check("without REDIS_URL and a home folder, the image runs its own Redis in /data", async () => {
    const { ms, ...started } = await start(container, {});
    found = started;
    const files = ["root-key", "redis/app-redis-url"].map((file) => join(settings.data, file));
    await started.main.until(async () => files.every((file) => existsSync(file)), START_MS);
    return `ready after ${seconds(ms)}`;
  });
  if (found !== undefined) await proveStop(found.main);
}

/** @param {string} folder @param {ReturnType<ImageBuild["mount"]>} mounted */
function createContainer(folder, { root, config }) {
  const uid = randomInt(100_000, 2_000_000_000);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, uid, uid);
  return new Container({ image: root, folder, data, uid, config });
}

/**
 * @param {ImageBuild} build
 * @param {string} folder
 */
async function prove(build, folder) {
  if (!(await check("npm run pack builds the package", packIfOutdated))) return;
  if (!(await check("stand-ins for the base images", () => build.createStandIns()))) return;
  const isBuilt = await check("buildah builds the image", () => {
    const began = performance.now();
    build.build();
    return seconds(performance.now() - began);
  });
  if (!isBuilt) return;
  const mounted = build.mount();
  await proveConfig(mounted, build.baseBytes);
  const container = createContainer(folder, mounted);
  await proveWithRedis(container);
  await proveWithoutRedis(container);
}

const obstacle = findObstacle();
if (obstacle === undefined) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lockkeeper-image-")));
  const build = new ImageBuild({ root: ROOT, folder, cache: join(ROOT, ".cache/image") });
  process.on("exit", () => {
    build.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.once(name, () => process.exit(1));
  await prove(build, folder);
} else skip("the container image", obstacle);
const { line, ok } = summary();
console.log(`\n${line}`);
process.exit(ok ? 0 : 1);
