import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { Redis } from "ioredis";
import { BULK_BODY_BYTES_MAX } from "../../../lib/contract/actions/bulk-release.ts";
import { encodeKeyPath } from "../../../lib/keys/key.ts";
import { parseHoldId } from "../../../server/formats/hold-id.ts";
import { ROOT_KEY, waitUntil } from "../../support/test-server.ts";
import { NON_UTF8_KEY, UNUSUAL_KEYS } from "../../support/unusual-keys.ts";
import { assert, expect } from "../figures.ts";

const PROMPT_MS = 1000;

/** A Lockkeeper server behind a proxy. */
export interface Seen {
  /** URL of the proxy, including the base path. */
  readonly url: string;
  readonly redis: Redis;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape are read.
  readonly body: any;
}

async function call({ url }: Seen, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${ROOT_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const said = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, body: isJson ? JSON.parse(said) : said };
}

async function releaseHold(seen: Seen, { holdId }: { readonly holdId: string }): Promise<Answer> {
  return await call(seen, `/holds/${holdId}/release`, {});
}

/** Proves that keys with special characters pass the proxy unchanged: each key is acquired, read and released. */
export async function proveKeys(seen: Seen): Promise<number> {
  for (const key of UNUSUAL_KEYS) {
    const path = `/locks/${encodeKeyPath(key)}`;
    const { status, body } = await call(seen, `${path}/acquire`, { owner: "me" });
    expect(`acquiring ${JSON.stringify(key)}`, [status, body.key ?? body], [201, key]);
    const token = parseHoldId(body.holdId)?.token ?? "";
    expect(`${JSON.stringify(key)} in Redis`, await seen.redis.hgetall(key), { [token]: "1" });
    const response = await call(seen, path);
    expect(`looking at ${JSON.stringify(key)}`, [response.status, response.body.key], [200, key]);
    const released = await releaseHold(seen, body);
    expect(`releasing ${JSON.stringify(key)}`, released.body.outcome, "released");
  }
  const path = `/locks/~${NON_UTF8_KEY.toString("base64url")}`;
  const { body } = await call(seen, `${path}/acquire`, { owner: "me" });
  expect("a key that is not UTF-8", body.keyBase64, NON_UTF8_KEY.toString("base64"));
  expect("the release of a key that is not UTF-8", (await releaseHold(seen, body)).body.outcome, "released");
  return UNUSUAL_KEYS.length + 1;
}

/** Proves that events arrive when they occur and not only when a buffer is full. */
export async function proveStream(seen: Seen): Promise<number> {
  const key = `lock:${randomUUID()}`;
  const stop = new AbortController();
  const { body } = await fetch(`${seen.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${ROOT_KEY}` },
    signal: stop.signal,
  });
  let stream = "";
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) stream += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => undefined);
  try {
    await waitUntil(() => stream.includes("event: hello"));
    const at = performance.now();
    await call(seen, `/locks/${key}/acquire`, { owner: "me" });
    await waitUntil(() => stream.includes(key));
    const ms = performance.now() - at;
    assert(ms < PROMPT_MS, () => `an event came ${ms} ms late`);
    return ms;
  } finally {
    stop.abort();
    await read;
  }
}

/** Proves that a waiter is woken and that a waiter that disconnects leaves the queue. */
export async function proveWaiting(seen: Seen): Promise<void> {
  const key = `lock:${randomUUID()}`;
  const path = `/locks/${key}`;
  const waiting = async () => await seen.redis.zcard(`lockkeeper:waiters:{${key}}`);
  const first = await call(seen, `${path}/acquire`, { owner: "me" });
  const leave = new AbortController();
  const left = call(seen, `${path}/acquire`, { owner: "left", waitMs: 20_000 }, leave.signal).catch(
    () => undefined,
  );
  await waitUntil(async () => (await waiting()) === 1);
  leave.abort();
  await left;
  await waitUntil(async () => (await waiting()) === 0);
  const wait = call(seen, `${path}/acquire`, { owner: "you", waitMs: 20_000 });
  await waitUntil(async () => (await waiting()) === 1);
  await releaseHold(seen, first.body);
  const { status, body } = await wait;
  expect("who waited", [status, body.owner], [201, "you"]);
}

/** Proves that requests that are too large are rejected by Lockkeeper with its own error, not by the proxy. */
export async function proveLimits(seen: Seen): Promise<void> {
  const long = await call(seen, `/locks?filter=${"a".repeat(8000)}`);
  expect("an address that is too long", [long.status, long.body.code], [414, "uri_too_long"]);
  const record = { service: "x".repeat(70_000) };
  const large = await call(seen, "/locks/lock%3Aa/acquire", { owner: "me", record });
  expect("a body that is too large", [large.status, large.body.code], [413, "too_large"]);
  // The body has nearly the maximum size of a bulk release, which nginx must forward.
  const bulk = await call(seen, "/locks/force-release", { reason: "x".repeat(BULK_BODY_BYTES_MAX - 100) });
  expect("a body as large as a bulk may be", [bulk.status, bulk.body.code], [400, "invalid"]);
}

/**
 * Proves that Lockkeeper uses the client address that nginx sees, regardless of the headers that the client sends.
 *
 * @param limit number of permitted requests
 */
export async function proveAddress({ url }: Seen, limit: number): Promise<void> {
  const ask = async (localAddress: string, said: string) =>
    await new Promise<number>((resolve, reject) => {
      const headers = { "x-forwarded-for": said };
      const asking = request(`${url}/api/v1/locks`, { localAddress, headers, agent: false }, (answer) => {
        void text(answer).then(() => resolve(answer.statusCode ?? 0));
      });
      asking.on("error", reject).end();
    });
  const statuses: number[] = [];
  for (let n = 0; n <= limit; n++) statuses.push(await ask("127.0.0.2", `203.0.113.${n}`));
  expect("asking without credentials", statuses, [...Array<number>(limit).fill(401), 429]);
  expect("somebody else, who says the same", await ask("127.0.0.3", "203.0.113.0"), 401);
}

/**
 * Logs in below the base path and loads the pages with everything that they reference.
 *
 * @param token token of a one-time login link
 */
export async function provePages({ url }: Seen, token: string): Promise<number> {
  const { origin, pathname } = new URL(url);
  const page = await (await fetch(`${url}/login`)).text();
  const addresses = [...page.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, address]) => String(address));
  assert(addresses.length > 5, () => "the page loads nothing");
  for (const address of new Set(addresses)) {
    assert(address.startsWith(pathname), () => `${address} is not below ${pathname}`);
    expect(`loading ${address}`, (await fetch(origin + address)).status, 200);
  }
  const logIn = (from: string) =>
    fetch(`${url}/api/v1/login`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: from },
      body: JSON.stringify({ token }),
    });
  expect("a login from another site", (await logIn("https://evil.example")).status, 403);
  const loggedIn = await logIn(origin);
  const cookie = loggedIn.headers.get("set-cookie") ?? "";
  expect("the login", [loggedIn.status, cookie.includes(`; Path=${pathname};`)], [200, true]);
  const session = await fetch(`${url}/api/v1/session`, { headers: { cookie: cookie.split(";", 1).join() } });
  expect("the session", session.status, 200);
  return new Set(addresses).size;
}
