import { createServer, type Server } from "node:net";
import { afterEach, expect, it } from "vitest";
import { ClusterMap, formatNodeName } from "./cluster-map.ts";

interface View {
  epoch: number;
  state: "ok" | "fail";
  /** The port of the master, which has all slots. */
  master: number;
  /** The ports of its replicas. */
  replicas?: readonly number[];
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/**
 * Starts a fake cluster node that replies to the commands of ioredis and `ClusterMap` according to its view of the
 * cluster.
 */
async function node(viewOf: () => View): Promise<number> {
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const answerTo = (command: string): string => {
    const { epoch, state, master, replicas = [] } = viewOf();
    if (/slots/i.test(command)) {
      const nodes = [master, ...replicas].map((port) => `*2\r\n${bulk("127.0.0.1")}:${port}\r\n`);
      return `*1\r\n*${2 + nodes.length}\r\n:0\r\n:16383\r\n${nodes.join("")}`;
    }
    if (/cluster/i.test(command)) return bulk(`cluster_state:${state}\r\ncluster_current_epoch:${epoch}`);
    if (/info/i.test(command) && !/command/i.test(command)) return bulk("redis_version:7.0.15\r\nloading:0");
    return "+OK\r\n";
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      const commands = chunk.toString().match(/\*\d+\r\n(\$\d+\r\n[^\r]*\r\n)+/g) ?? [];
      for (const command of commands) socket.write(answerTo(command));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function createMap(...views: View[]) {
  const ports: number[] = [];
  for (const view of views) ports.push(await node(() => view));
  const map = new ClusterMap({
    seeds: ports.map((port) => formatNodeName("127.0.0.1", port)),
    getNodeAddress: (name) => ({
      options: { host: "127.0.0.1", port: Number(name.split(":")[1]) },
      label: name,
      db: 0,
    }),
  });
  await map.refresh();
  const readPrimary = async () => {
    await map.refresh();
    return map.findMaster(0);
  };
  return { map, readPrimary };
}

const OLD: View = { epoch: 3, state: "ok", master: 1 };
const NEW: View = { epoch: 4, state: "ok", master: 2 };

it("a partitioned node does not revert the cluster map to the state before a failover", async () => {
  const [cutOff, other] = [{ ...OLD }, { ...OLD }];
  const { map, readPrimary } = await createMap(cutOff, other);
  expect(map.findMaster(0)).toBe("127.0.0.1:1");
  Object.assign(other, NEW);
  cutOff.state = "fail";
  for (let look = 0; look < 3; look++) expect(await readPrimary()).toBe("127.0.0.1:2");
  // The node is reachable again, but its view of the cluster is outdated.
  cutOff.state = "ok";
  for (let look = 0; look < 3; look++) expect(await readPrimary()).toBe("127.0.0.1:2");
});

it("a rebuilt cluster with a lower epoch is accepted when no node knows a higher one", async () => {
  const only = { ...NEW };
  const { readPrimary } = await createMap(only);
  Object.assign(only, { epoch: 1, master: 9 });
  expect(await readPrimary()).toBe("127.0.0.1:9");
});

it("a large cluster whose nodes are all gone is found again through its seed", async () => {
  const seed = { ...OLD, replicas: Array.from({ length: 40 }, (_, n) => n + 10) };
  const { readPrimary } = await createMap(seed);
  Object.assign(seed, NEW);
  expect(await readPrimary()).toBe("127.0.0.1:2");
});
