import type { Experiment } from "../figure.ts";
import { openHttpContenders } from "./contenders.ts";
import { force } from "./force.ts";
import { MEMORY_FIGURES, measureMemory } from "./memory.ts";
import { measurePairs, PAIR_FIGURES } from "./pairs.ts";

/**
 * What the API costs, beside the least handler of the same scripts, Next, and servers that others run. One experiment,
 * since they take a while to start.
 */
const api: Experiment = {
  figures: [...PAIR_FIGURES, ...MEMORY_FIGURES],
  async measure(run) {
    const isUnderLoad = run.wanted.some((figure) => PAIR_FIGURES.includes(figure));
    const contenders = await openHttpContenders(run, isUnderLoad ? "everybody" : "ours and bare");
    const lines = isUnderLoad ? await measurePairs(run, contenders) : [];
    return [...lines, ...(await measureMemory(run, contenders))];
  },
};

export const http: readonly Experiment[] = [api, force];
