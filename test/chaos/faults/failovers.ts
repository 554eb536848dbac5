import { setTimeout as sleep } from "node:timers/promises";
import { ClusterGroup, type ReplicaGroup } from "../servers/replica-group.ts";
import { LOCKS } from "../servers/topology.ts";
import type { Fault, Planned, Stage } from "./fault.ts";

/** Not so long that others take the replicas for dead. */
const AHEAD_MS = 350;
const REPLICATED = ["sentinel", "cluster"] as const;
const onGroup = { on: "group", topologies: REPLICATED } as const;

/** What was begun and is to be ended, by its entry in the schedule. */
const begun = new WeakMap<Planned, () => Promise<void>>();

/** One at a time, each until all are in step again. */
function disturbing(
  begin: (group: ReplicaGroup, planned: Planned) => Promise<() => Promise<void>>,
): Pick<Fault, "begin" | "end"> {
  return {
    async begin({ topology }: Stage, planned: Planned) {
      begun.set(planned, await begin(topology.group, planned));
    },
    async end({ topology }: Stage, planned: Planned) {
      await begun.get(planned)?.();
      await topology.group.whole();
    },
  };
}

/** Of the masters, one that has a lock. */
async function pick(group: ReplicaGroup, { chance }: Planned): Promise<number> {
  return await group.masterOf(lockOf(chance));
}

function lockOf(chance: number): string {
  return LOCKS[Math.floor(chance * LOCKS.length)] ?? "";
}

const nothingMore = async () => undefined;

export const FAILOVER_FAULTS: readonly Fault[] = [
  {
    // Replicas follow by and by: what they have not got yet is undone when one of them is promoted.
    ...onGroup,
    name: "kill-master",
    lasts: "a_while",
    loses: "writes",
    ...disturbing(async (group, planned) => {
      const master = await pick(group, planned);
      await group.servers[master]?.kill();
      await group.promoted(master);
      return async () => await group.servers[master]?.restart();
    }),
  },
  {
    // So it has granted, renewed and released what none of them has heard of.
    ...onGroup,
    name: "kill-master-ahead",
    lasts: "a_while",
    loses: "writes",
    ...disturbing(async (group, planned) => {
      const master = await pick(group, planned);
      const replicas = await group.cutReplicas(master);
      await sleep(AHEAD_MS);
      await group.servers[master]?.kill();
      for (const n of replicas) group.servers[n]?.thaw();
      await group.promoted(master);
      return async () => await group.servers[master]?.restart();
    }),
  },
  {
    // The old one goes on as a master for a moment, and what it grants then is undone, too.
    ...onGroup,
    name: "stop-master",
    lasts: "a_while",
    loses: "writes",
    ...disturbing(async (group, planned) => {
      const master = await pick(group, planned);
      group.servers[master]?.freeze();
      await group.promoted(master);
      return async () => group.servers[master]?.thaw();
    }),
  },
  {
    // SENTINEL FAILOVER does not wait for the replica to have everything.
    ...onGroup,
    name: "failover",
    topologies: ["sentinel"],
    lasts: "at_once",
    loses: "writes",
    ...disturbing(async (group, planned) => {
      await group.handOver(await pick(group, planned));
      return nothingMore;
    }),
  },
  {
    // CLUSTER FAILOVER does: the master stops its clients until the replica has everything.
    ...onGroup,
    name: "hand-over",
    topologies: ["cluster"],
    lasts: "at_once",
    loses: "nothing",
    ...disturbing(async (group, planned) => {
      await group.handOver(await pick(group, planned));
      return nothingMore;
    }),
  },
  {
    ...onGroup,
    name: "cut-replica",
    lasts: "a_while",
    loses: "nothing",
    ...disturbing(async (group, planned) => {
      const replicas = await group.cutReplicas(await pick(group, planned));
      return async () => {
        for (const n of replicas) group.servers[n]?.thaw();
      };
    }),
  },
  {
    ...onGroup,
    name: "move-slot",
    topologies: ["cluster"],
    lasts: "a_while",
    loses: "nothing",
    ...disturbing(async (group, { chance }) => {
      if (!(group instanceof ClusterGroup)) throw new Error("only a cluster has slots");
      return await group.move(lockOf(chance), (chance * LOCKS.length) % 1);
    }),
  },
];
