import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Link } from "./link.ts";

let server: Server;
let received: string[];
let link: Link;
let chance = 1;
const sockets: Socket[] = [];

beforeEach(async () => {
  received = [];
  // Echoes all received data.
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      received.push(String(chunk));
      socket.write(chunk);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  link = await Link.open((server.address() as AddressInfo).port, () => chance);
});

afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  link.close();
  server.close();
});

function open(): Socket {
  const socket = dial(link.port, "127.0.0.1");
  socket.on("error", () => undefined);
  sockets.push(socket);
  return socket;
}

async function echoed(socket: Socket, word: string): Promise<string> {
  socket.write(word);
  const [chunk] = await once(socket, "data");
  return String(chunk);
}

describe("link between worker and server", () => {
  it("the link forwards data both ways", async () => {
    expect(await echoed(open(), "one")).toBe("one");
  });

  it("the link drops a reply after the request was executed and closes the connection", async () => {
    chance = 0;
    link.set("drop");
    const socket = open();
    socket.write("one");
    await once(socket, "close");
    expect(received).toEqual(["one"]);
    chance = 1;
    expect(await echoed(open(), "two")).toBe("two");
  });

  it("the link delays replies but not requests", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    link.delayMs = 120;
    link.set("delay");
    const reply = echoed(open(), "one");
    // The fake time does not advance until the server has received the request and the link delays the reply.
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(received).toEqual(["one"]);
    vi.advanceTimersByTime(119);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(await reply).toBe("one");
  });

  it("the link delays both directions by its latency", async () => {
    const far = await Link.open((server.address() as AddressInfo).port, () => 1, 15);
    const socket = dial(far.port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    const sentAt = performance.now();
    await echoed(socket, "one");
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(29);
    far.close();
  });

  it("the link holds traffic back while muted and then delivers it in order", async () => {
    const socket = open();
    await echoed(socket, "one");
    link.set("mute");
    const reply = echoed(socket, "two");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(received).toEqual(["one"]);
    link.set("pass");
    expect(await reply).toBe("two");
  });

  it("the link closes and rejects connections while cut, and works again afterwards", async () => {
    const standing = open();
    await echoed(standing, "one");
    const closed = once(standing, "close");
    link.set("cut");
    await closed;
    await once(open(), "close");
    link.set("pass");
    expect(await echoed(open(), "two")).toBe("two");
  });
});
