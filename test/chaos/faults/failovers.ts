import { setTimeout as sleep } from "node:timers/promises";
import { ClusterGroup, type ReplicaGroup } from "../servers/replica-group.ts";
import type { ChaosEnvironment, Fault, PlannedFault } from "./fault.ts";

/** Short enough that the replicas do not count as failed. */
const AHEAD_MS = 350;
const REPLICATED = ["sentinel", "cluster"] as const;
const onGroup = { on: "group", topologies: REPLICATED } as const;

/** Faults in progress, with the function that ends each. */
const begun = new WeakMap<PlannedFault, () => Promise<void>>();

/** Creates a fault of a group. Only one runs at a time, until all servers are in sync again. */
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
    // Replicas lag behind: writes that they do not have yet are lost when one of them is promoted.
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
    // The master has granted, renewed and released locks without any of the replicas receiving it.
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
    // The old master continues for a moment. Its grants in that time are lost as well.
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
    // SENTINEL FAILOVER does not wait until the replica has all data.
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
    // CLUSTER FAILOVER does wait: the master pauses its clients until the replica has all data.
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
