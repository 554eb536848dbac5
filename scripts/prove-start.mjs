// npm run prove:start: checks that `git clone` and `npm start` work on a fresh machine, and that Lockkeeper shuts down
// cleanly.
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { findFreePort, startTestRedis } from "../test/support/test-redis.ts";
import { check, expectSame, seconds, summary } from "./prove/checks.mjs";
import { Installation, ownLines } from "./prove/installation.mjs";

const FIRST_START_MS = 300_000;
const NEXT_START_MS = 10_000;
const END_MS = 2_000;
const KEY = "lock:orders:42";
const rootKey = randomBytes(30).toString("base64url");

/** @typedef {import("./prove/installation.mjs").Run} Run */
/** @typedef {{ run: Run, url: string, redisUrl: string }} Started */

/**
 * @param {Installation} clone
 * @param {number} withinMs
 * @returns {Promise<Started & { ms: number }>}
 */
async function start(clone, withinMs) {
  const began = performance.now();
  const run = clone.start({ PORT: String(await findFreePort()), LOCKKEEPER_ROOT_KEY: rootKey });
  const url = await clone.untilReady(run, withinMs);
  const ms = performance.now() - began;
  const { status } = await fetch(`${url}/readyz`);
  expectSame(status, 200, "the status of /readyz");
  return { run, url, ms, redisUrl: readRedisUrl(clone) };
}

/**
 * Reads the URL for applications from the file whose path is in the output.
 *
 * @param {Installation} clone
 */
function readRedisUrl(clone) {
  return readFileSync(join(clone.dir, ".cache/redis/app-redis-url"), "utf8").trim();
}

/**
 * @param {Started} started
 * @param {object} [body]
 */
async function acquire({ url }, body = {}) {
  const response = await fetch(`${url}/api/v1/locks/${encodeURIComponent(KEY)}/acquire`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${rootKey}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/**
 * @template T
 * @param {string} url
 * @param {(client: Redis) => Promise<T>} question
 */
async function askRedis(url, question) {
  const client = new Redis(url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on("error", () => {});
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}

/** @param {Started} started */
async function proveLocks(started) {
  await check("a held lock is refused, and its hold is re-entered by its holdId", async () => {
    const first = await acquire(started, { owner: "proof" });
    const second = await acquire(started, { owner: "proof" });
    const third = await acquire(started, { reenter: first.body.holdId });
    expectSame([first.status, second.status, third.status], [201, 409, 200], "the statuses");
    expectSame([first.body.count, second.body.code, third.body.count], [1, "held", 2], "the counts");
    expectSame(third.body.fence, first.body.fence, "the second fence");
    return `fence ${first.body.fence}`;
  });
  await check(`Redis agrees with the API: HGETALL ${KEY}`, async () => {
    const fields = await askRedis(started.redisUrl, (client) => client.hgetall(KEY));
    expectSame(Object.values(fields), ["2"], "the counts in the hash");
  });
}

/** Checks the output without a terminal, which ends up in a log. @param {Started} started */
async function proveSecrets({ run, redisUrl }) {
  await check("the output has no login link, no API key and no password", () => {
    if (!/Log in: (PORT=\d+ )?npm run login/.test(run.output())) throw new Error(run.output());
    const { password } = new URL(redisUrl);
    for (const secret of ["login#", "lk_", password])
      if (run.output().includes(secret)) throw new Error(`the output has a secret:\n${run.output()}`);
  });
  await check("the embedded Redis refuses clients without a password", async () => {
    const { host } = new URL(redisUrl);
    const reply = await askRedis(`redis://${host}`, (client) => client.get(KEY)).catch(String);
    if (!/NOAUTH|closed/.test(String(reply))) throw new Error(`it replied ${reply}`);
  });
}

/**
 * @param {Installation} clone
 * @param {Started} started
 * @param {string} name
 * @param {() => void} signal
 */
function proveEnd(clone, started, name, signal) {
  return check(name, async () => {
    signal();
    const ms = await clone.untilGone(END_MS);
    await started.run.ended;
    const answers = await askRedis(started.redisUrl, (client) => client.ping()).catch(() => undefined);
    if (answers) throw new Error(`a Redis still responds on port ${new URL(started.redisUrl).port}`);
    return seconds(ms);
  });
}

/**
 * @param {Installation} clone
 * @param {Started} first
 */
async function proveSecondStart(clone, first) {
  /** @type {Started | undefined} */
  let second;
  await check(`the next start takes less than ${NEXT_START_MS / 1_000} s (5 s wanted)`, async () => {
    const { ms, ...started } = await start(clone, NEXT_START_MS);
    second = started;
    return seconds(ms);
  });
  if (!second) return;
  const started = second;
  await check("the embedded Redis has its port and password again", () => {
    expectSame(started.redisUrl, first.redisUrl, "the URL of applications");
    return new URL(started.redisUrl).host;
  });
  await check("the embedded Redis has its data again", async () => {
    const companion = `lockkeeper:hold:{${KEY}}`;
    const exists = await askRedis(started.redisUrl, (client) => client.exists(companion));
    expectSame(exists, 1, `EXISTS ${companion}`);
  });
  await proveEnd(clone, started, "Ctrl-C (SIGINT to the process group) ends everything within 2 s", () =>
    process.kill(-started.run.pid, "SIGINT"),
  );
}

/**
 * @param {Installation} clone
 * @param {string} name
 * @param {Record<string, string>} variables
 * @param {RegExp} expected
 */
function proveRefusal(clone, name, variables, expected) {
  return check(`${name}: one clear line and a non-zero exit`, async () => {
    const began = performance.now();
    const run = clone.start({ PORT: String(await findFreePort()), ...variables });
    const timer = setTimeout(() => process.kill(-run.pid, "SIGKILL"), 30_000);
    const code = await run.ended;
    clearTimeout(timer);
    const lines = ownLines(run);
    if (code === 0) throw new Error(`the exit code is 0; the output was:\n${run.output()}`);
    if (lines.length !== 1) throw new Error(`it printed ${lines.length} lines:\n${lines.join("\n")}`);
    if (!expected.test(lines[0] ?? "")) throw new Error(`${expected} is not in: ${lines[0]}`);
    await clone.untilGone(END_MS);
    return `exit ${code} after ${seconds(performance.now() - began)}, "${lines[0]}"`;
  });
}

/** @param {Installation} clone */
async function proveRefusals(clone) {
  const taken = await findFreePort();
  const listener = createServer().listen(taken, "127.0.0.1");
  await proveRefusal(clone, "a PORT in use", { PORT: String(taken) }, new RegExp(`\\b${taken}\\b`));
  listener.close();
  const closed = await findFreePort();
  const url = `redis://127.0.0.1:${closed}`;
  await proveRefusal(
    clone,
    "a REDIS_URL where nothing listens",
    { REDIS_URL: url },
    new RegExp(`\\b${closed}\\b`),
  );
  const locked = await startTestRedis({ password: "open sesame" });
  const bare = `redis://127.0.0.1:${locked.port}`;
  await proveRefusal(clone, "a Redis that wants a password", { REDIS_URL: bare }, /password|NOAUTH|auth/i);
  await locked.stop();
}

/** @param {Installation} clone */
async function prove(clone) {
  /** @type {Started | undefined} */
  let first;
  await check("the first start, from a fresh clone with nothing installed", async () => {
    const { ms, ...started } = await start(clone, FIRST_START_MS);
    first = started;
    const steps = started.run.output().match(/^.+ … [\d.]+ s$/gm) ?? [];
    return `${seconds(ms)} (${steps.join(", ")})`;
  });
  if (!first) return;
  const started = first;
  await proveLocks(started);
  await proveSecrets(started);
  await openConsoles(started.url);
  const name = "SIGTERM to npm alone ends everything within 2 s, with consoles open";
  if (!(await proveEnd(clone, started, name, () => process.kill(started.run.pid, "SIGTERM")))) return;
  await proveSecondStart(clone, started);
  await proveRefusals(clone);
}

/**
 * Opens live streams, as pages do. The streams end when the server stops.
 *
 * @param {string} url
 */
async function openConsoles(url) {
  for (let tab = 0; tab < 5; tab++) {
    const response = await fetch(`${url}/api/v1/live`, { headers: { authorization: `Bearer ${rootKey}` } });
    if (!response.ok) throw new Error(`GET /live returned ${response.status}`);
    response.text().catch(() => undefined);
  }
}

const clone = new Installation(fileURLToPath(new URL("..", import.meta.url)));
for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.once(name, () => {
    clone.remove();
    process.exit(1);
  });
}
try {
  await prove(clone);
} finally {
  clone.remove();
}
const { line, ok } = summary();
console.log(`\n${line}`);
process.exit(ok ? 0 : 1);
