import { setTimeout as sleep } from "node:timers/promises";
import { ClusterGroup, type ReplicaGroup } from "../servers/replica-group.ts";
import type { ChaosEnvironment, Fault, PlannedFault } from "./fault.ts";

/** Not so long that others take the replicas for dead. */
const AHEAD_MS = 350;
const REPLICATED = ["sentinel", "cluster"] as const;
const onGroup = { on: "group", topologies: REPLICATED } as const;

/** What was begun and is to be ended, by its entry in the schedule. */
const begun = new WeakMap<PlannedFault, () => Promise<void>>();

/** One at a time, each until all are in step again. */
function createGroupFault(
  begin: (
    group: ReplicaGroup,
    planned: PlannedFault,
    keys: readonly string[],
  ) => Promise<() => Promise<void>>,
): Pick<Fault, "begin" | "end"> {
  return {
    async begin({ topology, locks }: ChaosEnvironment, planned: PlannedFault) {
      const keys = locks.map(({ key }) => key);
      begun.set(planned, await begin(topology.group, planned, keys));
    },
    async end({ topology }: ChaosEnvironment, planned: PlannedFault) {
      await begun.get(planned)?.();
      await topology.group.waitUntilInSync();
    },
  };
}

/** Of the masters, one that has a lock. */
async function pickMaster(
  group: ReplicaGroup,
  { chance }: PlannedFault,
  keys: readonly string[],
): Promise<number> {
  return await group.findMasterOf(pickKey(chance, keys));
}

function pickKey(chance: number, keys: readonly string[]): string {
  return keys[Math.floor(chance * keys.length)] ?? "";
}

const endNothing = async () => undefined;

export const FAILOVER_FAULTS: readonly Fault[] = [
  {
    // Replicas follow by and by: what they have not got yet is undone when one of them is promoted.
    ...onGroup,
    name: "kill-master",
    lasts: "a_while",
    loses: "writes",
    ...createGroupFault(async (group, planned, keys) => {
      const master = await pickMaster(group, planned, keys);
      await group.servers[master]?.kill();
      await group.waitForPromotion(master);
      return async () => await group.servers[master]?.restart();
    }),
  },
  {
    // So it has granted, renewed and released what none of them has heard of.
    ...onGroup,
    name: "kill-master-ahead",
    lasts: "a_while",
    loses: "writes",
    ...createGroupFault(async (group, planned, keys) => {
      const master = await pickMaster(group, planned, keys);
      const replicas = await group.cutReplicas(master);
      await sleep(AHEAD_MS);
      await group.servers[master]?.kill();
      for (const n of replicas) group.servers[n]?.thaw();
      await group.waitForPromotion(master);
      return async () => await group.servers[master]?.restart();
    }),
  },
  {
    // The old one goes on as a master for a moment, and what it grants then is undone, too.
    ...onGroup,
    name: "stop-master",
    lasts: "a_while",
    loses: "writes",
    ...createGroupFault(async (group, planned, keys) => {
      const master = await pickMaster(group, planned, keys);
      group.servers[master]?.freeze();
      await group.waitForPromotion(master);
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
    ...createGroupFault(async (group, planned, keys) => {
      await group.failOver(await pickMaster(group, planned, keys));
      return endNothing;
    }),
  },
  {
    // CLUSTER FAILOVER does: the master stops its clients until the replica has everything.
    ...onGroup,
    name: "hand-over",
    topologies: ["cluster"],
    lasts: "at_once",
    loses: "nothing",
    ...createGroupFault(async (group, planned, keys) => {
      await group.failOver(await pickMaster(group, planned, keys));
      return endNothing;
    }),
  },
  {
    ...onGroup,
    name: "cut-replica",
    lasts: "a_while",
    loses: "nothing",
    ...createGroupFault(async (group, planned, keys) => {
      const replicas = await group.cutReplicas(await pickMaster(group, planned, keys));
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
    ...createGroupFault(async (group, { chance }, keys) => {
      if (!(group instanceof ClusterGroup)) throw new Error("only a cluster has slots");
      return await group.startSlotMove(pickKey(chance, keys), (chance * keys.length) % 1);
    }),
  },
];
