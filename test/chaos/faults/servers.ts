import { TOPOLOGIES, type Topology } from "../servers/topology.ts";
import { doNothing, type Fault } from "./fault.ts";

/**
 * Returns an error handler that ignores errors in replica groups, where the server may be down because of another
 * fault. Such a server has no clients and no scripts.
 */
function ignoreIfReplicated({ name }: Topology): (error: unknown) => void {
  return (error) => {
    if (name !== "sentinel" && name !== "cluster") throw error;
  };
}

const onServer = { on: "server", lasts: "a_while", loses: "nothing" } as const;
const atOnce = { on: "server", lasts: "at_once", loses: "nothing", end: doNothing } as const;

export const SERVER_FAULTS: readonly Fault[] = [
  {
    ...onServer,
    name: "stop-server",
    begin: async ({ topology }, { target }) => topology.getServer(target).freeze(),
    end: async ({ topology }, { target }) => topology.getServer(target).thaw(),
  },
  {
    ...onServer,
    name: "restart-server",
    loses: "data",
    begin: ({ topology }, { target }) => topology.getServer(target).kill(),
    end: ({ topology }, { target }) => topology.getServer(target).restart(),
  },
  {
    ...onServer,
    name: "client-pause",
    async begin({ topology }, { target, forMs, chance }) {
      await topology
        .getConnection(target)
        .call("CLIENT", "PAUSE", Math.round(forMs), chance < 0.5 ? "ALL" : "WRITE");
    },
    end: doNothing,
  },
  {
    ...atOnce,
    name: "client-kill",
    topologies: TOPOLOGIES,
    async begin({ topology }, { target, chance }) {
      const killed = topology
        .getConnection(target)
        .call("CLIENT", "KILL", "TYPE", chance < 0.6 ? "normal" : "pubsub");
      await killed.catch(ignoreIfReplicated(topology));
    },
  },
  {
    ...atOnce,
    name: "script-flush",
    topologies: TOPOLOGIES,
    async begin({ topology }, { target }) {
      await topology.getConnection(target).script("FLUSH").catch(ignoreIfReplicated(topology));
    },
  },
  {
    ...atOnce,
    name: "flushall",
    loses: "data",
    async begin({ topology }, { target }) {
      await topology.getConnection(target).flushall();
    },
  },
];
