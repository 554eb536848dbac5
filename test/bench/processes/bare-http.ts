/**
 * The thinnest server between HTTP and our two scripts: `node:http`, ioredis with its defaults, JSON, and the comparison
 * of an API key. `node --import tsx bare-http.ts REDIS_URL PORT KEY`. It validates no input, retries nothing and watches
 * no keys. `POST /hold` never gets a response.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Redis } from "ioredis";
import { createPlainScript } from "../http/plain-scripts.ts";
import { openPlainConnection } from "../plain-connection.ts";

const [redisUrl = "", port = "0", key = ""] = process.argv.slice(2);
const authorization = Buffer.from(`Bearer ${key}`);
const ids = randomBytes(6).toString("base64url");
let count = 0;

interface LockRequest {
  readonly owner: string;
  readonly leaseMs: number;
}

const acquire = createPlainScript("acquire");
const release = createPlainScript("release");

async function main(): Promise<void> {
  const redis = openPlainConnection(redisUrl);
  await Promise.all([acquire, release].map(({ source }) => redis.script("LOAD", source)));
  const server = createServer({ requestTimeout: 70_000 }, (incoming, outgoing) => {
    if (!isAllowed(incoming)) outgoing.writeHead(401).end();
    else if (incoming.url !== "/hold") void handleRequest(redis, incoming, outgoing);
  });
  server.listen(Number(port), "127.0.0.1");
}

function isAllowed({ headers }: IncomingMessage): boolean {
  const given = Buffer.from(headers.authorization ?? "");
  return given.length === authorization.length && timingSafeEqual(given, authorization);
}

async function handleRequest(
  redis: Redis,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const [, , , , name = "", verb] = (incoming.url ?? "").split("/");
  const ask = JSON.parse(await readText(incoming)) as LockRequest;
  const lock = decodeURIComponent(name);
  const granted =
    verb === "acquire" ? await acquireLock(redis, lock, ask) : await releaseLock(redis, lock, ask);
  const body = JSON.stringify(granted);
  outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  outgoing.end(body);
}

function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk: string) => {
      text += chunk;
    });
    incoming.on("end", () => resolve(text));
    incoming.on("error", reject);
  });
}

async function acquireLock(redis: Redis, lock: string, { owner, leaseMs }: LockRequest) {
  const { keys, parameters } = acquire.call({ lock, owner, leaseMs, id: `${ids}.${++count}` });
  const reply = await redis.evalsha(acquire.sha, keys.length, ...keys, ...parameters);
  const [outcome, now, held, fence, remainingMs] = splitReply(reply);
  if (outcome !== "granted") return { key: lock, owner, outcome };
  const [asOf, times, left] = [now, held, remainingMs].map(Number);
  return { key: lock, owner, count: times, fence, leaseMs, remainingMs: left, asOf };
}

async function releaseLock(redis: Redis, lock: string, { owner }: LockRequest) {
  const { keys, parameters } = release.call({ lock, owner, leaseMs: 0, id: `${ids}.${++count}` });
  const reply = await redis.evalsha(release.sha, keys.length, ...keys, ...parameters);
  const [outcome, now, left] = splitReply(reply);
  return { key: lock, owner, outcome, count: Number(left), asOf: Number(now) };
}

/**
 * A script replies with tab-separated text in its plain case and with an array otherwise, for example once the
 * companion of a key has recorded about twenty recent pairs.
 */
function splitReply(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : String(reply).split("\t");
}

await main();
