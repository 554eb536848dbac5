import { setTimeout as sleep } from "node:timers/promises";
import { ClusterGroup, type ReplicaGroup } from "../servers/replica-group.ts";
import type { ChaosEnvironment, Fault, PlannedFault } from "./fault.ts";

/**
 * Time in milliseconds for which the master runs without replicas. Short enough that the replicas do not count as
 * failed.
 */
const AHEAD_MS = 350;
const REPLICATED = ["sentinel", "cluster"] as const;
const onGroup = { on: "group", topologies: REPLICATED } as const;

/** The functions that end the faults in progress. */
const begun = new WeakMap<PlannedFault, () => Promise<void>>();

/** Creates a fault of a replica group. The fault ends when all servers are in sync again. */
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

/** Returns the number of the master that stores a randomly chosen lock. */
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
    // Writes that the promoted replica has not received are lost.
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
    // Before it is killed, the master grants, renews and releases locks without replicating these writes.
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
    // After it is resumed, the old master still acts as a master for a moment. Its grants in that time are also lost.
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
    // SENTINEL FAILOVER does not wait until the replica has received all writes.
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
    // CLUSTER FAILOVER loses no writes: the master pauses its clients until the replica has received all writes.
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
