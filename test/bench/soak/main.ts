// npm run soak -- [--seconds N] [--every N]: runs a Lockkeeper server with open tabs and 200 changes per second for ten
// minutes. Prints the memory of the server and of Redis as one JSON object per line. Finally prints whether the memory
// grew in the second half. The exit code is 1 if so.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Redis } from "ioredis";
import { HOME_PREFIX } from "../../../server/formats/keys.ts";
import { DEFAULT_RETENTION } from "../../../server/history/journal.ts";
import { sendRequest, startChild } from "../child.ts";
import type { Run } from "../figure.ts";
import type { NodeContender } from "../http/contender.ts";
import { startWithoutPages } from "../http/node-servers.ts";
import { readInfo } from "../info.ts";
import { reportProgress } from "../progress.ts";
import { Resources } from "../resources.ts";
import type { ChangesRequest, ChangesResponse } from "../watch/changes-messages.ts";
import { Tabs } from "../watch/tabs.ts";
import { listViews } from "../watch/views.ts";
import { computeTrend } from "./trend.ts";

const CHANGES_A_SECOND = 200;
const NAMES = 1000;
const TABS = 10;
/**
 * Rate and maximum duration in ms of the initial load that fills the stored history. The memory growth of that phase is
 * not a leak.
 */
const FILL = { perSecond: 2000, msMax: 180_000 };
const STORY = `${HOME_PREFIX}events:default`;
/** Fields of a sample that must not grow. */
const BOUNDED = ["aliveBytes", "redisBytes", "ourKeys"] as const;

interface Sample {
  readonly seconds: number;
  /** Bytes in use on the server's heap, plus external memory, after garbage collections. */
  readonly aliveBytes: number;
  readonly rssBytes: number;
  readonly redisBytes: number;
  /** Number of keys that Lockkeeper stores in Redis. `keys` is the number of all keys. */
  readonly ourKeys: number;
  readonly keys: number;
  /** Number of events in the stored history. */
  readonly events: number;
  readonly changes: number;
  readonly failed: number;
  readonly tabs: number;
  readonly messages: number;
}

interface SoakSetup {
  readonly server: NodeContender;
  readonly changes: ChildProcess;
  readonly tabs: Tabs;
}

async function setUp(run: Run): Promise<SoakSetup> {
  const server = await startWithoutPages(run);
  const tabs = await Tabs.start(run, server.target);
  await tabs.open(listViews(TABS));
  await fill(run, server);
  const changes = await startChild(run, "changes.ts", [server.redisUrl]);
  await sendChanges(changes, { do: "change", perSecond: CHANGES_A_SECOND, names: NAMES, isOnceOnly: true });
  return { server, changes, tabs };
}

async function fill(run: Run, { redisUrl, inspector }: NodeContender): Promise<void> {
  reportProgress(`The history is filled first, with ${DEFAULT_RETENTION.most} events`);
  const filling = await startChild(run, "changes.ts", [redisUrl]);
  await sendChanges(filling, { do: "change", perSecond: FILL.perSecond, names: NAMES, isOnceOnly: true });
  const deadline = performance.now() + FILL.msMax;
  let events = 0;
  while (events < DEFAULT_RETENTION.most && performance.now() < deadline) {
    await sleep(500);
    events = await inspector.xlen(STORY);
  }
  filling.disconnect();
  reportProgress(`It has ${events}`);
}

async function readSample({ server, changes, tabs }: SoakSetup): Promise<Sample> {
  const { inspector } = server;
  const { aliveBytes, rssBytes } = await server.memory();
  const made = await sendChanges(changes, { do: "report" });
  const read = await tabs.report();
  return {
    seconds: Math.round(made.seconds),
    ...{ aliveBytes, rssBytes },
    redisBytes: Number((await readInfo(inspector, "memory")).used_memory),
    ourKeys: await countOurKeys(inspector),
    keys: await inspector.dbsize(),
    events: await inspector.xlen(STORY),
    ...{ changes: made.changes, failed: made.failed, tabs: read.open, messages: read.messages },
  };
}

async function countOurKeys(inspector: Redis): Promise<number> {
  const found = new Set<string>();
  for await (const keys of inspector.scanStream({ match: "*lockkeeper}*", count: 1000 }))
    for (const key of keys as string[]) found.add(key);
  for await (const keys of inspector.scanStream({ match: "lockkeeper:*", count: 1000 }))
    for (const key of keys as string[]) found.add(key);
  return found.size;
}

function judgeSamples(samples: readonly Sample[]) {
  const half = samples.slice(Math.floor(samples.length / 2));
  const trends = Object.fromEntries(
    BOUNDED.map((name) => {
      const { mean, rise, noise, is } = computeTrend(half.map((sample) => sample[name]));
      return [name, { is, mean: Math.round(mean), rise: Math.round(rise), noise: Math.round(noise) }];
    }),
  );
  const rising = BOUNDED.filter((name) => trends[name]?.is === "rising");
  return { verdict: rising.length === 0 ? "bounded" : "rising", rising, samples: half.length, ...trends };
}

async function sendChanges(changes: ChildProcess, words: ChangesRequest): Promise<ChangesResponse> {
  return await sendRequest<ChangesResponse>(changes, words);
}

async function main(run: Run, seconds: number, everySeconds: number): Promise<number> {
  const scene = await setUp(run);
  const samples: Sample[] = [];
  const startedAt = performance.now();
  for (let next = everySeconds; next <= seconds; next += everySeconds) {
    await sleep(startedAt + next * 1000 - performance.now());
    const sample = await readSample(scene);
    samples.push(sample);
    console.log(JSON.stringify(sample));
  }
  const verdict = judgeSamples(samples);
  console.log(JSON.stringify(verdict));
  return verdict.rising.length === 0 ? 0 : 1;
}

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "600" }, every: { type: "string", default: "10" } },
});
const [seconds, every] = [Number(values.seconds), Number(values.every)];
if (!(every > 0 && seconds >= 6 * every)) {
  reportProgress("npm run soak -- [--seconds N] [--every N], with at least six samples");
  process.exit(2);
}
const resources = new Resources();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => void resources.end().then(() => process.exit(130)));
}
let code = 2;
try {
  const run: Run = {
    effort: "full",
    wanted: [],
    defer: (end) => resources.defer(end),
    part: async () => undefined,
  };
  code = await main(run, seconds, every);
} catch (error) {
  reportProgress(error instanceof Error ? String(error.stack) : String(error));
} finally {
  await resources.end();
}
process.exit(code);
