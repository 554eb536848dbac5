import { Peer } from "../../interop/peer.ts";
import { startPython } from "../../interop/python-peer.ts";
import { formatReason, Skip } from "../../interop/skip.ts";
import { provideRedisPy } from "../../interop/steps/python.ts";
import { sendRequest, startChild } from "../child.ts";
import { listSettings } from "../core/contenders.ts";
import type { Facts, Run } from "../figure.ts";
import { reportProgress } from "../progress.ts";
import { provideBenchRedisson } from "../redisson.ts";
import { openContendedClients } from "./clients.ts";
import type { ContendedRequest, ContendedResponse, HoldTimes } from "./messages.ts";

export const WORKERS = 100;
export const PROCESSES = 4;

export type ContendedPlan = Pick<ContendedRequest, "key" | "forMs" | "workMs">;

/** A library under test. Its workers all contend for one lock. */
export interface ContendedContender {
  readonly name: string;
  /** Runs the 100 workers and returns the holds of each. */
  contend(plan: ContendedPlan): Promise<readonly (readonly HoldTimes[])[]>;
}

export interface ContendedContenders {
  readonly all: readonly ContendedContender[];
  readonly settings: Facts;
  /** Names of the contenders that are not available on this machine, with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

export async function openContendedContenders(run: Run, url: string): Promise<ContendedContenders> {
  const clients = await openContendedClients(url);
  for (const client of clients) run.defer(() => client.close());
  const starting = Array.from({ length: PROCESSES }, () => startChild(run, "contended.ts", [url]));
  const children = await Promise.all(starting);
  const all: ContendedContender[] = clients.map(({ name }) => ({
    name,
    contend: (plan) =>
      collect(children, async (child, workers) => {
        const response = await sendRequest<ContendedResponse>(child, { ...plan, contender: name, workers });
        if ("failed" in response) throw new Error(response.failed);
        return response.workers;
      }),
  }));
  const leftOut: Record<string, string> = {};
  for (const [name, count, start] of FOREIGN) {
    try {
      const peers = await startPeers(run, count, () => start(url));
      all.push({ name, contend: (plan) => collect(peers, (peer, workers) => occupy(peer, plan, workers)) });
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      leftOut[name] = formatReason(error);
      reportProgress(`${name} is left out: ${leftOut[name]}`);
    }
  }
  const { settings, ...versions } = listSettings(clients);
  return { all, settings: { ...versions, settings: Object.assign({}, settings, FOREIGN_SETTINGS) }, leftOut };
}

/** Libraries in other languages: the name, the number of processes, and a function that starts one process. */
const FOREIGN: readonly [name: string, processes: number, start: (url: string) => Promise<Peer>][] = [
  [
    "redis-py",
    PROCESSES,
    async (url) => startPython("redis-py", await provideRedisPy(), "redis_py_peer.py", url),
  ],
  [
    "redisson",
    1,
    async (url) => {
      const { java, classpath } = await provideBenchRedisson();
      return await Peer.start("redisson", java, ["-Xmx256m", "-cp", classpath, "RedissonPeer", url]);
    },
  ],
];

const FOREIGN_SETTINGS: Facts = {
  "redis-py": `Lock(timeout 30, blocking) with its default of polling every 100 ms, ${PROCESSES} processes of ${WORKERS / PROCESSES} threads`,
  redisson: `getLock with the watchdog, one JVM with ${WORKERS} threads and two clients of 16 connections`,
};

async function startPeers(run: Run, count: number, start: () => Promise<Peer>): Promise<Peer[]> {
  const peers: Peer[] = [];
  while (peers.length < count) {
    const peer = await start();
    run.defer(() => peer.end());
    peers.push(peer);
  }
  return peers;
}

async function occupy(peer: Peer, { key, forMs, workMs }: ContendedPlan, workers: number) {
  type Answer = { readonly workers: readonly (readonly HoldTimes[])[] };
  return (await peer.ask<Answer>("occupy", [key, forMs, workMs, workers], forMs)).workers;
}

/** Divides the workers equally among the processes and collects their holds. */
async function collect<Process>(
  processes: readonly Process[],
  run: (process: Process, workers: number) => Promise<readonly (readonly HoldTimes[])[]>,
): Promise<(readonly HoldTimes[])[]> {
  return (await Promise.all(processes.map((process) => run(process, WORKERS / processes.length)))).flat();
}
