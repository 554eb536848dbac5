import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closeConnections, closeListener } from "./close-server.ts";

let server: Server;
let socket: Socket;

const connectToServer = () => {
  const address = server.address();
  return connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
};

/** Sends a request on the connection and returns the response as text. */
async function ask(): Promise<string> {
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [response] = await Promise.race([once(socket, "data"), once(socket, "close").then(() => ["closed"])]);
  return String(response);
}

beforeEach(async () => {
  server = createServer((_, response) => response.end("ok"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  socket = connectToServer().setEncoding("utf8");
});
afterEach(() => void socket.destroy());

it("after the listener has closed, a request on an idle connection gets a response", async () => {
  const closed = once(server, "close");
  expect(await ask()).toMatch(/^HTTP\/1\.1 200/);
  await closeListener(server);
  expect(server.listening).toBe(false);
  expect(await ask()).toMatch(/^HTTP\/1\.1 200/);
  const ended = once(socket, "close");
  await closeConnections(server, closed, 5000);
  await ended;
});

it("a connection whose client sends nothing is cut off after the limit", async () => {
  const closed = once(server, "close");
  await once(server, "connection");
  await closeListener(server);
  const startedAt = performance.now();
  await closeConnections(server, closed, 300);
  expect(performance.now() - startedAt).toBeGreaterThan(290);
});
