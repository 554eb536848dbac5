import type { Experiment, Run } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { startRedis } from "../servers.ts";
import { listSettings, openContenders } from "./contenders.ts";
import { measurePairs, type PairsPlan } from "./pairs.ts";

const IN_FLIGHT = [1, 8, 64, 512] as const;

/**
 * Pairs of acquire and release per second without notifications, with 1, 8, 64 or 512 pairs in flight on one connection.
 */
export const throughput: readonly Experiment[] = IN_FLIGHT.map((inFlight) => {
  const figure = `core.pairs.c${inFlight}`;
  return {
    figures: [figure],
    async measure(run) {
      const { url, inspector } = await startRedis(run, "");
      const contenders = await openContenders(run, url);
      const line = await measurePairs(figure, contenders, inspector, createPlan(run, inFlight));
      const machine = await readMachineFacts(inspector, run.effort);
      const conditions = { ...machine, consoles: 0, ...line.conditions, ...listSettings(contenders) };
      return [{ ...line, conditions }];
    },
  };
});

function createPlan({ effort }: Run, inFlight: number): PairsPlan {
  if (effort === "quick") return { rounds: 3, pairs: inFlight === 1 ? 600 : 1500, inFlight };
  return { rounds: 9, pairs: inFlight === 1 ? 4000 : 20_000, inFlight };
}
