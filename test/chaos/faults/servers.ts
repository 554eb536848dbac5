import { TOPOLOGIES, type Topology } from "../servers/topology.ts";
import { type Fault, nothing } from "./fault.ts";

/** A server of a group may be away by another fault, and has no clients and no scripts then. */
function unlessReplicated({ name }: Topology): (error: unknown) => void {
  return (error) => {
    if (name !== "sentinel" && name !== "cluster") throw error;
  };
}

const onServer = { on: "server", lasts: "a_while", loses: "nothing" } as const;
const atOnce = { on: "server", lasts: "at_once", loses: "nothing", end: nothing } as const;

export const SERVER_FAULTS: readonly Fault[] = [
  {
    ...onServer,
    name: "stop-server",
    begin: async ({ topology }, { target }) => topology.server(target).freeze(),
    end: async ({ topology }, { target }) => topology.server(target).thaw(),
  },
  {
    ...onServer,
    name: "restart-server",
    loses: "data",
    begin: ({ topology }, { target }) => topology.server(target).kill(),
    end: ({ topology }, { target }) => topology.server(target).restart(),
  },
  {
    ...onServer,
    name: "client-pause",
    async begin({ topology }, { target, forMs, chance }) {
      await topology
        .direct(target)
        .call("CLIENT", "PAUSE", Math.round(forMs), chance < 0.5 ? "ALL" : "WRITE");
    },
    end: nothing,
  },
  {
    ...atOnce,
    name: "client-kill",
    topologies: TOPOLOGIES,
    async begin({ topology }, { target, chance }) {
      const killed = topology
        .direct(target)
        .call("CLIENT", "KILL", "TYPE", chance < 0.6 ? "normal" : "pubsub");
      await killed.catch(unlessReplicated(topology));
    },
  },
  {
    ...atOnce,
    name: "script-flush",
    topologies: TOPOLOGIES,
    async begin({ topology }, { target }) {
      await topology.direct(target).script("FLUSH").catch(unlessReplicated(topology));
    },
  },
  {
    ...atOnce,
    name: "flushall",
    loses: "data",
    async begin({ topology }, { target }) {
      await topology.direct(target).flushall();
    },
  },
];
