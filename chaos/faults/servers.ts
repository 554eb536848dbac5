import { type Fault, nothing } from "./fault.ts";

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
    async begin({ topology }, { target, chance }) {
      await topology.direct(target).call("CLIENT", "KILL", "TYPE", chance < 0.6 ? "normal" : "pubsub");
    },
  },
  {
    ...atOnce,
    name: "script-flush",
    async begin({ topology }, { target }) {
      await topology.direct(target).script("FLUSH");
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
