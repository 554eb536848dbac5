import { once } from "node:events";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { sleepMs } from "../../test/support/test-locks.ts";
import { ROOT_KEY } from "../../test/support/test-server.ts";

const CHUNK = Buffer.alloc(16 * 1024, " ");

const it = serverTest()
  .extend("openSocket", { scope: "file" }, ({ server }) => () => {
    const errors: (string | undefined)[] = [];
    const socket = server.openSocket().on("error", ({ code }: NodeJS.ErrnoException) => errors.push(code));
    return { socket, errors };
  })
  .extend("buildHead", ({ key }) => (version: string, length: string) => {
    const headers = [
      "Host: x",
      `Authorization: Bearer ${ROOT_KEY}`,
      "Content-Type: application/json",
      length,
    ];
    return `POST /api/v1/locks/${key}/acquire HTTP/${version}\r\n${headers.join("\r\n")}\r\n\r\n`;
  });

/** Sends `count` chunks with a pause after each, and reads nothing meanwhile, as nginx does. */
async function sendChunks(socket: Socket, count: number, frame: (chunk: Buffer) => Buffer): Promise<void> {
  for (let sent = 0; sent < count && !socket.destroyed; sent++) {
    socket.write(frame(CHUNK));
    await sleepMs(10);
  }
}

const frameChunk = (chunk: Buffer) =>
  Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);

it.for([
  ["with a stated length over HTTP/1.1", "1.1", `Content-Length: ${40 * CHUNK.length}`],
  ["with a stated length over HTTP/1.0", "1.0", `Content-Length: ${40 * CHUNK.length}`],
  ["in chunks", "1.1", "Transfer-Encoding: chunked"],
] as const)(
  "a client that sends a large body %s and then reads gets 413",
  async ([, version, length], { openSocket, buildHead }) => {
    const { socket, errors } = openSocket();
    const isChunked = length.startsWith("Transfer");
    socket.write(buildHead(version, length));
    await sendChunks(socket, 40, isChunked ? frameChunk : (chunk) => chunk);
    if (isChunked) socket.write("0\r\n\r\n");
    const answer = await text(socket).catch(() => "");
    expect([answer.split(" ", 2)[1], errors]).toEqual(["413", []]);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: "too_large" });
  },
);

it("a refused request does not end the connection before the response to an earlier one", async ({
  server,
  openSocket,
  buildHead,
  key,
}) => {
  await server.acquire(key, { leaseMs: 4000 });
  const { socket } = openSocket();
  const body = JSON.stringify({ waitMs: 20_000 });
  socket.write(`${buildHead("1.1", `Content-Length: ${body.length}`)}${body}`);
  socket.write(buildHead("1.1", `Content-Length: ${40 * CHUNK.length}`));
  const answer = text(socket);
  await sendChunks(socket, 40, (chunk) => chunk);
  const statuses = [...(await answer).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(["201", "413"]);
});

it("a client that never stops sending a large body is disconnected", async ({ openSocket, buildHead }) => {
  const { socket } = openSocket();
  socket.write(buildHead("1.1", `Content-Length: ${1024 ** 3}`));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let sentBytes = 0;
  while (!socket.destroyed && sentBytes < 256 * 1024 ** 2) {
    sentBytes += CHUNK.length;
    if (!socket.write(CHUNK)) await Promise.race([once(socket, "drain").catch(() => undefined), closed]);
  }
  await closed;
  expect(sentBytes).toBeGreaterThan(8 * 1024 ** 2);
});
