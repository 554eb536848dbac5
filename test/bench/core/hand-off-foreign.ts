import { startChild } from "../child.ts";
import { type Contender, LEASE_MS } from "../contender.ts";
import type { Experiment, Run } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { openPlainConnection } from "../plain-connection.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave } from "../rounds.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { computePercentile } from "../statistics.ts";
import { type HandOffLine, measureHandOffs, Waiter } from "./hand-off.ts";
import { openOurs } from "./ours.ts";

const FIGURE = "core.handoff.foreign.p99";
const WAITING = "ours-token";

interface ForeignLine extends HandOffLine {
  readonly waiter: Waiter;
}

/** Time from a release by a client that publishes nothing until a Lockkeeper waiter in another process has the lock. */
export const foreignHandOff: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const { lines, inspector } = await openLines(run);
    const count = { quick: 10, full: 200 }[run.effort];
    const rounds = await interleave({
      contenders: lines,
      rounds: { quick: 1, full: 5 }[run.effort],
      warmUp: (line) => measureHandOffs(line, line.waiter, { quick: 1, full: 5 }[run.effort]),
      measure: (line) => measureHandOffs(line, line.waiter, Math.ceil(count / line.lanes)),
      onProgress: reportProgress,
    });
    const p99 = (samples: readonly number[]) => computePercentile(samples, 0.99);
    const { ours, vs, theirs } = compareMedians(rounds, p99);
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      theirs,
      p50Ms: computeMedians(rounds, (samples) => computePercentile(samples, 0.5)),
      rounds: rounds.get("ours")?.length,
      handOffsPerRound: count,
      waitedMs: Object.fromEntries(lines.map(({ name, waitMs }) => [name, waitMs])),
      settings: Object.fromEntries(lines.map(({ name, holder }) => [name, holder.settings])),
      method:
        "ours: SET NX PX, then DEL by another client, with notifications. off: the same without notifications. own: a release by Lockkeeper. Lower is better",
    };
    return [{ figure: FIGURE, unit: "ms", ours, vs, conditions }];
  },
};

async function openLines(run: Run) {
  const [on, off] = [await startRedis(run, EMBEDDED_FLAGS), await startRedis(run, "")];
  const waiter = new Waiter(await startChild(run, "waiter.ts", [on.url]));
  const waiterOff = new Waiter(await startChild(run, "waiter.ts", [off.url]));
  const own = await openOurs(on.url, { format: "token" });
  const shared = { waiting: WAITING, lanes: 1, waitMs: [10, 20] } as const;
  const lines: ForeignLine[] = [
    { ...shared, name: "ours", holder: createPlainHolder(on.url), waiter },
    { ...shared, name: "own", holder: own, waiter },
    // Waits long enough that a polling waiter has increased its interval.
    {
      ...shared,
      name: "off",
      holder: createPlainHolder(off.url),
      waiter: waiterOff,
      lanes: 20,
      waitMs: [50, 500],
    },
  ];
  for (const { holder } of lines) run.defer(() => holder.close());
  return { lines, inspector: on.inspector };
}

function createPlainHolder(url: string): Contender {
  const redis = openPlainConnection(url);
  return {
    name: "plain",
    settings: `SET NX PX ${LEASE_MS}, then DEL; ioredis with its defaults`,
    async acquire(key) {
      if ((await redis.set(key, "plain", "PX", LEASE_MS, "NX")) === null) throw new Error(`${key} is held`);
      return () => redis.del(key);
    },
    close: () => redis.disconnect(),
  };
}
