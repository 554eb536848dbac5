/**
 * A minimal HTTP server that runs two of Lockkeeper's scripts. It uses `node:http`, ioredis with default options and
 * JSON, and checks an API key. It does not validate input, retry or watch keys. `POST /hold` never gets a response.
 *
 * Usage: `node --import tsx bare-http.ts REDIS_URL PORT KEY`
 */
import { randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Redis } from "ioredis";
import {
  createAcquireScript,
  createReleaseScript,
  type PlainCall,
  parseGrantReply,
  parseReleaseReply,
} from "../http/plain-scripts.ts";
import { openPlainConnection } from "../plain-connection.ts";

const [redisUrl = "", port = "0", key = ""] = process.argv.slice(2);
const authorization = Buffer.from(`Bearer ${key}`);
const client = randomUUID();
let count = 0;

interface AcquireRequest {
  readonly owner: string;
  readonly leaseMs: number;
}

const [acquire, release] = [createAcquireScript(), createReleaseScript()];

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
  const [, , , collection, name = ""] = (incoming.url ?? "").split("/");
  const ask = JSON.parse(await readText(incoming)) as AcquireRequest;
  const answer =
    collection === "locks"
      ? await acquireLock(redis, decodeURIComponent(name), ask)
      : await releaseHold(redis, name);
  const body = JSON.stringify(answer);
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

async function acquireLock(redis: Redis, lock: string, { owner, leaseMs }: AcquireRequest) {
  const token = `${client}:${++count}`;
  const call = acquire.call(lock, { token, owner, leaseMs, id: `${client}.${count}` });
  const { outcome, fence, ...grant } = parseGrantReply(await runScript(redis, acquire.sha, call));
  if (outcome !== "granted") return { key: lock, owner, outcome };
  const holdId = [token, fence, encodeURIComponent(lock)].join(".");
  return { ...grant, holdId, key: lock, owner, fence, leaseMs };
}

async function releaseHold(redis: Redis, holdId: string) {
  const [token = "", fence = "", ...name] = holdId.split(".");
  const lock = decodeURIComponent(name.join("."));
  const call = release.call(lock, { token, fence, id: `${client}.${++count}` });
  return { holdId, key: lock, ...parseReleaseReply(await runScript(redis, release.sha, call)) };
}

async function runScript(redis: Redis, sha: string, { keys, parameters }: PlainCall): Promise<unknown> {
  return await redis.evalsha(sha, keys.length, ...keys, ...parameters);
}

await main();
