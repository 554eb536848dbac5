import type { Redis } from "ioredis";
import { type Experiment, type Line, type Run, roundValue } from "../figure.ts";
import { startWithoutPages } from "../http/node-servers.ts";
import { readRedisCpuMicros } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave, type Rounds } from "../rounds.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { SetLoad } from "./set-load.ts";

/** Number of watched patterns. One of the five patterns is covered by another. */
const FIGURES = { "watch.notify.cost": 5, "watch.notify.cost.1pattern": 1 };
const WATCHED = { 5: "*lock*,*LOCK*,mutex:*,semaphore:*,lock:*", 1: "lock:*" };
/** Prefixes of keys that match a pattern and of keys that do not, because most keys of an application are not locks. */
const KEYS = { matching: "lock:bench:", elsewhere: "cache:bench:" };

interface SetRound {
  readonly perSecond: number;
  readonly redisMicros: number;
}

interface Setter {
  readonly name: string;
  readonly inspector: Redis;
  readonly load: SetLoad;
}

/**
 * The cost of notifications for other clients: the rate at which a bare client sets keys with and without a Lockkeeper
 * server.
 */
export const notify: Experiment = {
  figures: Object.keys(FIGURES),
  async measure(run) {
    for (const [figure, patterns] of Object.entries(FIGURES)) {
      await run.part([figure], async () => [await measureCost(run, figure, patterns === 5 ? 5 : 1)]);
    }
    return [];
  },
};

async function measureCost(run: Run, figure: string, patterns: 1 | 5): Promise<Line> {
  reportProgress(`${patterns} patterns`);
  const watch = WATCHED[patterns];
  const ours = await startWithoutPages(run, { LOCKKEEPER_WATCH: watch });
  const same = await startRedis(run, EMBEDDED_FLAGS);
  const without = await startRedis(run, "");
  const looks = { ours: ours.inspector, same: same.inspector, without: without.inspector };
  const [matching, elsewhere] = [
    await measureSets(run, looks, KEYS.matching),
    await measureSets(run, looks, KEYS.elsewhere),
  ];
  const { ours: perSecond, vs, theirs } = compareMedians(matching, (round) => round.perSecond);
  const others = compareMedians(elsewhere, (round) => round.perSecond);
  return {
    ...{ figure, unit: "SET/s", ours: perSecond, vs },
    conditions: {
      ...(await readMachineFacts(ours.inspector, run.effort)),
      ...{ theirs, watch, rounds: matching.get("ours")?.length, connections: 1, inFlight: 64 },
      redisMicrosASet: computeMedians(matching, (round) => round.redisMicros),
      elsewhere: {
        ...others,
        redisMicrosASet: computeMedians(elsewhere, (round) => round.redisMicros),
      },
      counting:
        "SET with a time to live of 10 000 keys that match, by one bare client; ours: our server watches them and looks at what changes. same: no server, the same notify-keyspace-events; without: none. elsewhere: keys that match no pattern. Client, server and Redis share the machine; redisMicrosASet is CPU of Redis's main thread a SET, looks of ours included",
    },
  };
}

async function measureSets(
  run: Run,
  looks: Readonly<Record<string, Redis>>,
  prefix: string,
): Promise<Rounds<SetRound>> {
  const quick = run.effort === "quick";
  const [rounds, forMs] = quick ? [1, 200] : [7, 1000];
  const setters: Setter[] = [];
  for (const [name, look] of Object.entries(looks)) {
    const load = await SetLoad.open(look.options.port ?? 0, prefix);
    run.defer(() => load.close());
    setters.push({ name, inspector: look, load });
  }
  const measure = (setter: Setter) => setFor(setter, forMs);
  for (const setter of setters) await measure(setter);
  return await interleave({ contenders: setters, rounds, measure, onProgress: () => undefined });
}

async function setFor({ inspector: look, load }: Setter, forMs: number): Promise<SetRound> {
  const cpuBefore = await readRedisCpuMicros(look);
  const startedAt = performance.now();
  const sets = await load.run(forMs);
  const seconds = (performance.now() - startedAt) / 1000;
  const micros = (await readRedisCpuMicros(look)) - cpuBefore;
  return { perSecond: sets / seconds, redisMicros: roundValue(micros / sets) };
}
