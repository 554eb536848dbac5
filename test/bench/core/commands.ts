import type { Redis } from "ioredis";
import type { Contender } from "../contender.ts";
import type { Experiment } from "../figure.ts";
import { roundValue } from "../figure.ts";
import { countCallsBetween, readCalls } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { startRedis } from "../servers.ts";
import { listSettings, openContenders } from "./contenders.ts";
import { runPairs } from "./pairs.ts";

const FIGURE = "core.commands.pair";
const PAIRS = 1000;

/**
 * Redis commands per acquire and release, including those in scripts. The script calls themselves are not part of the
 * figure.
 */
export const commands: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { url, inspector } = await startRedis(run, "");
    const contenders = await openContenders(run, url);
    const counted = new Map<string, CommandCounts>();
    for (const contender of contenders)
      counted.set(contender.name, await countCommands(contender, inspector));
    const { ours, ...peers } = Object.fromEntries(
      [...counted].map(([name, { commands }]) => [name, commands]),
    );
    if (ours === undefined) throw new Error("ours is not among the contenders");
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      consoles: 0,
      theirs: peers,
      pairs: PAIRS,
      byCommand: Object.fromEntries([...counted].map(([name, { byCommand }]) => [name, byCommand])),
      method: "INFO commandstats without EVALSHA, which is in byCommand. Lower is better",
      ...listSettings(contenders),
    };
    const vs = Object.fromEntries(
      Object.entries(peers).map(([name, theirs]) => [name, roundValue(ours / theirs)]),
    );
    return [{ figure: FIGURE, unit: "commands/pair", ours, vs, conditions }];
  },
};

interface CommandCounts {
  readonly commands: number;
  readonly byCommand: Readonly<Record<string, number>>;
}

async function countCommands(contender: Contender, inspector: Redis): Promise<CommandCounts> {
  // The first call of a script is an EVAL instead of an EVALSHA.
  await runPairs(contender, { pairs: 1, inFlight: 1 }, "warm");
  const before = await readCalls(inspector);
  await runPairs(contender, { pairs: PAIRS, inFlight: 64 }, "counted");
  const calls = countCallsBetween(before, await readCalls(inspector));
  const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
  return {
    commands: roundValue((all - (calls.get("evalsha") ?? 0)) / PAIRS),
    byCommand: Object.fromEntries(
      [...calls].sort().map(([name, count]) => [name, roundValue(count / PAIRS)]),
    ),
  };
}
