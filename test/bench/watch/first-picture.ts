import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, startChild } from "../child.ts";
import type { Experiment } from "../figure.ts";
import { machineFacts } from "../machine.ts";
import type { ProbeSays } from "../processes/probe.ts";
import type { WatcherAsk, WatcherSays } from "../processes/watcher.ts";
import { progress } from "../progress.ts";
import { compare, interleave, mediansOf } from "../rounds.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { fill, takeLocks, WATCHED } from "./keyspace.ts";

const DISCOVER = "watch.discover";
const PROBE = "watch.probe.p99";
const SCAN_COUNT = 1000;

interface Round {
  readonly ms: number;
  readonly probe: ProbeSays;
}

interface Walk {
  readonly name: "ours" | "scan" | "quiet";
  /** In how many ms, while another client probes. */
  walk(): Promise<number>;
}

/** The first picture of a target, beside a bare loop over its keys; and what another client notices of it. */
export const firstPicture: Experiment = {
  figures: [DISCOVER, PROBE],
  async measure(run) {
    const quick = run.effort === "quick";
    const [keys, locks, rounds] = quick ? [50_000, 500, 3] : [1_000_000, 10_000, 9];
    const { url, look } = await startRedis(run, EMBEDDED_FLAGS);
    progress(`${keys} keys, ${locks} of them locks`);
    await fill(look, keys - locks);
    await takeLocks(run, url, look, locks);
    const probe = await startChild(run, "probe.ts", [url]);
    const watcher = await startChild(run, "watcher.ts", [url, WATCHED]);
    const walks: Walk[] = [
      { name: "ours", walk: () => walked(watcher, { do: "picture" }, locks) },
      { name: "scan", walk: () => walked(watcher, { do: "scan", count: SCAN_COUNT }, locks) },
      { name: "quiet", walk: () => sleep(quick ? 200 : 1000, 1) },
    ];
    const measure = ({ walk }: Walk) => probed(probe, walk);
    for (const walk of walks) await measure(walk);
    const results = await interleave({ contenders: walks, rounds, measure, onProgress: progress });
    const took = compare(results, ({ ms }) => ms);
    const felt = compare(results, ({ probe: { p99Micros } }) => p99Micros);
    const conditions = {
      ...(await machineFacts(look, run.effort)),
      ...{ keys, locks, rounds, watch: [WATCHED], scanCount: SCAN_COUNT },
    };
    return [
      {
        ...{ figure: DISCOVER, unit: "ms", ours: took.ours, vs: only("scan", took.vs) },
        conditions: {
          theirs: only("scan", took.theirs),
          counting:
            "from the start of a watcher, its connections open, until its picture is whole; scan: SCAN MATCH COUNT to its end, nothing read. One process, Redis and the client that probes beside it. Less is better",
          ...conditions,
        },
      },
      {
        ...{ figure: PROBE, unit: "µs", ours: felt.ours, vs: felt.vs },
        conditions: {
          theirs: felt.theirs,
          p50Micros: mediansOf(results, (round) => round.probe.p50Micros),
          maxMicros: mediansOf(results, (round) => round.probe.maxMicros),
          probes: mediansOf(results, (round) => round.probe.count),
          counting:
            "one GET after the other of a client in a process of its own, a millisecond between them, while the first picture is made (scan: the bare loop; quiet: nothing). Less is better",
          ...conditions,
        },
      },
    ];
  },
};

async function walked(watcher: ChildProcess, words: WatcherAsk, expected: number): Promise<number> {
  const { ms, locks } = await ask<WatcherSays>(watcher, words);
  if (locks !== expected) throw new Error(`${words.do} found ${locks} locks of ${expected}`);
  return ms;
}

async function probed(probe: ChildProcess, walk: () => Promise<number>): Promise<Round> {
  await ask(probe, "begin");
  const ms = await walk();
  return { ms, probe: await ask<ProbeSays>(probe, "end") };
}

function only(name: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return { [name]: values[name] ?? Number.NaN };
}
