import type { Experiment } from "../figure.ts";
import { busy } from "./busy.ts";
import { openHttpContenders } from "./contenders.ts";
import { force } from "./force.ts";
import { MEMORY_FIGURES, measureMemory } from "./memory.ts";
import { measurePairs, PAIR_FIGURES } from "./pairs.ts";

/**
 * The cost of the API compared with a minimal handler that calls the same scripts, with Next, etcd and webdis. All
 * figures belong to one experiment, because the servers take a while to start.
 */
const api: Experiment = {
  figures: [...PAIR_FIGURES, ...MEMORY_FIGURES],
  async measure(run) {
    const isUnderLoad = run.wanted.some((figure) => PAIR_FIGURES.includes(figure));
    const contenders = await openHttpContenders(run, isUnderLoad ? "everybody" : "ours and bare");
    if (isUnderLoad) await measurePairs(run, contenders);
    await measureMemory(run, contenders);
    return [];
  },
};

export const http: readonly Experiment[] = [api, force, busy];
