import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

/** A TCP proxy in front of Redis that can lose what Redis answers. */
export interface TestProxy {
  readonly port: number;
  /** `pass`; `drop_replies`: what Redis answers is thrown away and the connection cut, after Redis has run it. */
  mode: "pass" | "drop_replies";
  /** Replies lost so far. */
  readonly dropped: number;
  /** In `pass`: the share of replies that are lost. */
  dropShare: number;
  stop(): Promise<void>;
}

export async function startTestProxy(
  targetPort: number,
  random: () => number = Math.random,
): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const state = { mode: "pass" as TestProxy["mode"], dropShare: 0, dropped: 0 };
  const server = createServer((client) => {
    const redis = dial(targetPort, "127.0.0.1");
    const cut = () => {
      client.destroy();
      redis.destroy();
    };
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.on("error", cut).on("close", () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on("data", (chunk) => redis.write(chunk));
    redis.on("data", (chunk) => {
      if (state.mode === "pass" && random() >= state.dropShare) {
        client.write(chunk);
        return;
      }
      state.dropped++;
      cut();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  });
}
