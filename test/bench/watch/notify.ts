import type { Redis } from "ioredis";
import { type Experiment, type Line, type Run, roundValue } from "../figure.ts";
import { startWithoutPages } from "../http/node-servers.ts";
import { readRedisCpuMicros } from "../info.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave, type Rounds } from "../rounds.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { SetLoad } from "./set-load.ts";

/** Number of watched patterns for each figure. One of the five patterns is covered by another. */
const FIGURES = { "watch.notify.cost": 5, "watch.notify.cost.1pattern": 1 };
const WATCHED = { 5: "*lock*,*LOCK*,mutex:*,semaphore:*,lock:*", 1: "lock:*" };
/**
 * Key prefixes with and without a matching pattern. Most keys of an application are not locks, so both costs matter.
 */
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
 * The cost of keyspace notifications for other clients: the rate at which a bare client sets keys with a Lockkeeper
 * server, compared with the rates without one.
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
  const inspectors = { ours: ours.inspector, same: same.inspector, without: without.inspector };
  const [matching, elsewhere] = [
    await measureSets(run, inspectors, KEYS.matching),
    await measureSets(run, inspectors, KEYS.elsewhere),
  ];
  const { ours: perSecond, vs, theirs } = compareMedians(matching, (round) => round.perSecond);
  const others = compareMedians(elsewhere, (round) => round.perSecond);
  return {
    ...{ figure, unit: "SET/s", ours: perSecond, vs },
    conditions: {
      ...(await readMachineFacts(ours.inspector, run.effort)),
      ...{ theirs, watch, rounds: matching.get("ours")?.length, connections: 1, inFlight: 64 },
      redisMicrosPerSet: computeMedians(matching, (round) => round.redisMicros),
      elsewhere: {
        ...others,
        redisMicrosPerSet: computeMedians(elsewhere, (round) => round.redisMicros),
      },
      method:
        "SET with a TTL on 10,000 keys that match, from one bare client. ours: Lockkeeper watches the keys and reads those that change. same: no server, the same notify-keyspace-events. without: no notifications. elsewhere: keys that match no pattern. Client, server and Redis share the machine. redisMicrosPerSet: CPU time of Redis's main thread per SET, including Lockkeeper's reads",
    },
  };
}

async function measureSets(
  run: Run,
  inspectors: Readonly<Record<string, Redis>>,
  prefix: string,
): Promise<Rounds<SetRound>> {
  const quick = run.effort === "quick";
  const [rounds, forMs] = quick ? [1, 200] : [7, 1000];
  const setters: Setter[] = [];
  for (const [name, inspector] of Object.entries(inspectors)) {
    const load = await SetLoad.open(inspector.options.port ?? 0, prefix);
    run.defer(() => load.close());
    setters.push({ name, inspector, load });
  }
  const measure = (setter: Setter) => setFor(setter, forMs);
  for (const setter of setters) await measure(setter);
  return await interleave({ contenders: setters, rounds, measure, onProgress: () => undefined });
}

async function setFor({ inspector, load }: Setter, forMs: number): Promise<SetRound> {
  const cpuBefore = await readRedisCpuMicros(inspector);
  const startedAt = performance.now();
  const sets = await load.run(forMs);
  const seconds = (performance.now() - startedAt) / 1000;
  const micros = (await readRedisCpuMicros(inspector)) - cpuBefore;
  return { perSecond: sets / seconds, redisMicros: roundValue(micros / sets) };
}
