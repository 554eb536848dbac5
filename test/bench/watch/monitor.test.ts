import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { LineSplitter, Monitor, type Monitored, parseMonitorLine } from "./monitor.ts";

const LINE = '+1339518083.107412 [0 127.0.0.1:60866] "EVALSHA" "a \\"quoted\\" text" "1"';

async function serve(onAsk: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => onAsk(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

describe("parseMonitorLine", () => {
  it("reads the source and the command", () => {
    expect(parseMonitorLine(LINE)).toEqual({ source: "127.0.0.1:60866", command: "evalsha" });
    expect(parseMonitorLine('+1.5 [12 lua] "HSET" "k"')).toEqual({ source: "lua", command: "hset" });
    expect(parseMonitorLine('+1.5 [0 [::1]:60866] "get" "k"')?.source).toBe("[::1]:60866");
    expect(parseMonitorLine("+OK")).toBeUndefined();
  });
});

describe("LineSplitter", () => {
  it("joins what was cut between two chunks", () => {
    const splitter = new LineSplitter();
    expect(splitter.push("+OK\r\n+one\r")).toEqual(["+OK"]);
    expect(splitter.push("\n+tw")).toEqual(["+one"]);
    expect(splitter.push("o\r\n")).toEqual(["+two"]);
  });
});

describe("Monitor", () => {
  it("reads a command that arrives in one packet with the OK", async () => {
    const seen: Monitored[] = [];
    const address = await serve((socket) => socket.write(`+OK\r\n${LINE}\r\n`));
    const monitor = await Monitor.open(address, (monitored) => seen.push(monitored));
    monitor.close();
    expect(seen.map(({ command }) => command)).toEqual(["evalsha"]);
  });

  it("rejects when Redis refuses or closes the connection", async () => {
    const refusing = await serve((socket) => socket.write("-NOAUTH Authentication required.\r\n"));
    await expect(Monitor.open(refusing, () => undefined)).rejects.toThrow("NOAUTH");
    const closing = await serve((socket) => socket.end());
    await expect(Monitor.open(closing, () => undefined)).rejects.toThrow("closed");
  });
});
