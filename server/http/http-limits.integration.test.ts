import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { sleepMs } from "../../test/support/test-locks.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import { HTTP_LIMITS, URL_LENGTH_MAX } from "./http-limits.ts";

const AUTHORIZATION = `Authorization: Bearer ${ROOT_KEY}\r\n`;
const SHORT_LIMITS = {
  ...HTTP_LIMITS,
  headersTimeout: 300,
  requestTimeout: 600,
  connectionsCheckingInterval: 50,
  silentMs: 1000,
};

const it = serverTest({ limits: SHORT_LIMITS, environment: { LOCKKEEPER_WAITERS_MAX: "3" } })
  // Reads the error response to the input, until the server closes the connection.
  .extend("readAnswer", { scope: "file" }, ({ server }) => async (send: (socket: Socket) => void) => {
    const startedAt = performance.now();
    const socket = server.openSocket();
    send(socket);
    const answer = await text(socket);
    const status = Number(answer.split(" ", 2)[1]);
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as { status: number; code: string };
    expect(body.status).toBe(status);
    return { status, code: body.code, ms: performance.now() - startedAt };
  });

/** Sends a byte every 20 ms, like a slow client. */
function sendSlowly(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 20);
  socket.on("close", () => clearInterval(timer));
}

const buildRequestHead = (path: string, more = "") =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}${more}`;
const buildAcquireHead = (key: string, length: number) =>
  `POST /api/v1/locks/${key}/acquire HTTP/1.1\r\nHost: x\r\n${AUTHORIZATION}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

it("slow headers and idle connections are closed with 408", async ({ readAnswer }) => {
  const dripping = readAnswer((socket) => {
    socket.write(`${buildRequestHead("/api/v1/locks")}X-Slow: `);
    sendSlowly(socket, "a");
  });
  const silent = readAnswer(() => undefined);
  for (const { status, code, ms } of await Promise.all([dripping, silent])) {
    expect([status, code]).toEqual([408, "request_timeout"]);
    expect(ms).toBeGreaterThan(SHORT_LIMITS.headersTimeout - 50);
  }
});

it("a slow body is closed with 408 and acquires no lock", async ({ direct, key, readAnswer }) => {
  const { status, code } = await readAnswer((socket) => {
    socket.write(`${buildAcquireHead(key, 5000)}{"owner":"me"`);
    sendSlowly(socket, " ");
  });
  expect([status, code]).toEqual([408, "request_timeout"]);
  expect(await direct.exists(key)).toBe(0);
});

it("a waiting request is held open longer than the request timeouts", async ({ server, key }) => {
  const hold = await server.acquire(key, { owner: "me" });
  const body = JSON.stringify({ owner: "you", waitMs: 10_000 });
  const socket = server.openSocket();
  socket.write(buildAcquireHead(key, body.length) + body);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  await sleepMs(SHORT_LIMITS.requestTimeout + 200);
  await server.callHold(hold, "release");
  await waitUntil(() => answer.includes('"owner":"you"'));
  socket.destroy();
});

it("headers above 16 KiB return 431, URLs above 8,000 characters 414 and invalid HTTP 400", async ({
  readAnswer,
}) => {
  const large = await readAnswer((socket) =>
    socket.write(buildRequestHead("/api/v1/locks", `X: ${"a".repeat(17_000)}\r\n\r\n`)),
  );
  expect([large.status, large.code]).toEqual([431, "headers_too_large"]);
  const long = await readAnswer((socket) =>
    socket.write(
      buildRequestHead(`/api/v1/locks?filter=${"a".repeat(URL_LENGTH_MAX)}`, "Connection: close\r\n\r\n"),
    ),
  );
  expect([long.status, long.code]).toEqual([414, "uri_too_long"]);
  const nonsense = await readAnswer((socket) => socket.write("nonsense\r\n\r\n"));
  expect([nonsense.status, nonsense.code]).toEqual([400, "invalid"]);
});

it("a client that does not read its response is disconnected", async ({ server }) => {
  const socket = server.openSocket();
  socket.pause();
  let sent = 0;
  // Requests more responses than the operating system buffers for a connection.
  const timer = setInterval(() => {
    for (let n = 0; n < 50 && !socket.destroyed; n++)
      socket.write(buildRequestHead("/api/v1/openapi.json", "\r\n"));
    sent += 50;
  }, 20);
  await waitUntil(() => socket.destroyed || sent >= 2000, 20_000);
  clearInterval(timer);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  // Reads the buffered responses after the time limit, because a paused socket does not detect the end of the
  // connection.
  setTimeout(() => socket.resume(), SHORT_LIMITS.silentMs + 500);
  await closed;
});

it("concurrent requests of one caller are limited to the configured number", async ({
  server,
  direct,
  key,
}) => {
  await server.callVerb(key, "acquire", { owner: "me" });
  const leave = new AbortController();
  const wait = (owner: string, signal?: AbortSignal) =>
    server.call(`/locks/${key}/acquire`, { body: { owner, waitMs: 5000 }, ...(signal && { signal }) });
  const waiting = async () => await direct.zcard(`lockkeeper:waiters:{${key}}`);
  const waits = [wait("a"), wait("b"), wait("c", leave.signal).catch(() => undefined)];
  await waitUntil(async () => (await waiting()) === 3);
  const refused = await wait("d");
  expect([refused.status, refused.body.code, refused.body.limit]).toEqual([429, "too_many_waiting", 3]);
  expect(refused.headers.get("retry-after")).toBe("5");
  leave.abort();
  await waitUntil(async () => (await waiting()) === 2);
  waits.push(wait("d"));
  await waitUntil(async () => (await waiting()) === 3);
  server.runtime.endPendingRequests();
  const answers = await Promise.all(waits);
  expect(answers.map((answer) => answer?.status)).toEqual([503, 503, undefined, 503]);
});
