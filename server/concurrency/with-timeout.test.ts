import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, connect as openSocket } from "node:net";
import { expect, it } from "vitest";
import { withTimeout } from "./with-timeout.ts";

const LIMIT_MS = 50;

function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it("a reply that arrived while the process was busy is returned", async () => {
  const server = createServer((socket) => {
    socket.write("reply");
    blockEventLoop(2 * LIMIT_MS);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = openSocket((server.address() as AddressInfo).port, "127.0.0.1");
  const reply = once(socket, "data").then(([data]) => String(data));
  expect(await withTimeout(LIMIT_MS, reply)).toBe("reply");
  socket.destroy();
  server.close();
});

it("a call with the same limit that was made before reports its timeout first", async () => {
  const inner = new Promise<string>((resolve) => {
    setTimeout(() => setImmediate(() => resolve("inner")), LIMIT_MS);
  });
  expect(await withTimeout(LIMIT_MS, inner)).toBe("inner");
});

it("without a reply, the limit is reported", async () => {
  await expect(withTimeout(1, new Promise(() => undefined))).rejects.toThrow("did not respond within 1 ms");
});
