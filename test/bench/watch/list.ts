import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { findFreePort } from "../../support/test-redis.ts";
import { startChild } from "../child.ts";
import type { Experiment, Run } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, computeMedians, interleave } from "../rounds.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import { computePercentile } from "../statistics.ts";
import { acquireLocks, LEASE_MS } from "./keyspace.ts";

const FIGURE = "watch.list.p99.100k";
const PAGE = 100;
/** Queries of console users, which are used in turn. */
const QUESTIONS = [
  "sort=key",
  "sort=-held",
  "sort=remaining",
  "sort=key&filter=key:lock:orders:*77",
  "sort=-held&filter=liveness:unknown",
  "sort=remaining&filter=checkout",
];
/** Number of locks that are renewed before each request, so that no two responses are the same. */
const CHANGES = 10;

interface ListServer {
  readonly name: string;
  readonly inspector: Redis;
  readonly locks: number;
  readonly port: number;
  /** Number of the next lock to renew. */
  at: number;
}

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** p99 duration of a request for a page of the list among 100,000 locks, compared with 1,000 locks. */
export const list: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const quick = run.effort === "quick";
    const [many, few, rounds, pages] = quick ? [5000, 500, 3, 60] : [100_000, 1000, 7, 600];
    const secret = randomBytes(30).toString("base64url");
    const listed = [await openServer(run, "ours", many, secret), await openServer(run, "1k", few, secret)];
    const ask = createPageReader(secret);
    const first = await measureFirst(listed, ask);
    const measure = (server: ListServer) => measureRound(server, pages, ask);
    for (const server of listed) await measure(server);
    const results = await interleave({ contenders: listed, rounds, measure, onProgress: reportProgress });
    const p99 = compareMedians(results, ({ p99Ms }) => p99Ms);
    const [{ inspector }] = listed as [ListServer];
    const conditions = {
      ...(await readMachineFacts(inspector, run.effort)),
      theirs: p99.theirs,
      p50Ms: computeMedians(results, ({ p50Ms }) => p50Ms),
      firstPageMs: first,
      ...{ locks: many, rounds, pagesPerRound: pages, page: PAGE, questions: QUESTIONS, changes: CHANGES },
      method: `Consecutive GET /locks over HTTP with different filters and orders, each after the renewal of ${CHANGES} locks. 1k: the same among ${few} locks. firstPageMs: the first page of each query, for which the order is computed. Lower is better`,
    };
    return [{ figure: FIGURE, unit: "ms", ours: p99.ours, vs: p99.vs, conditions }];
  },
};

async function openServer(run: Run, name: string, locks: number, secret: string): Promise<ListServer> {
  const { url, inspector } = await startRedis(run, EMBEDDED_FLAGS);
  reportProgress(`${locks} locks`);
  await acquireLocks(run, url, inspector, locks);
  const port = await findFreePort();
  const env = {
    ...process.env,
    REDIS_URL: url,
    PORT: String(port),
    LOCKKEEPER_ROOT_KEY: secret,
    LOCKKEEPER_READ_CPU_MS: "off",
  };
  await startChild(run, "listed.ts", [], { env });
  return { name, inspector, locks, port, at: 0 };
}

type PageReader = (server: ListServer, question: string) => Promise<void>;

function createPageReader(secret: string): PageReader {
  const headers = { authorization: `Bearer ${secret}` };
  return async ({ port }, question) => {
    const url = `http://127.0.0.1:${port}/api/v1/locks?limit=${PAGE}&${question}`;
    const response = await fetch(url, { headers });
    if (response.status !== 200)
      throw new Error(`GET /locks answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
}

async function measureFirst(listed: readonly ListServer[], ask: PageReader) {
  const first: Record<string, Record<string, number>> = {};
  for (const server of listed) {
    const ms: Record<string, number> = {};
    for (const question of QUESTIONS) ms[question] = Math.round(await measureMs(() => ask(server, question)));
    first[server.name] = ms;
  }
  return first;
}

async function measureRound(server: ListServer, pages: number, ask: PageReader): Promise<Round> {
  const times: number[] = [];
  for (let page = 0; page < pages; page++) {
    await renewSome(server);
    const question = QUESTIONS[page % QUESTIONS.length] ?? "";
    times.push(await measureMs(() => ask(server, question)));
  }
  return { p50Ms: computePercentile(times, 0.5), p99Ms: computePercentile(times, 0.99) };
}

async function renewSome(server: ListServer): Promise<void> {
  const pipeline = server.inspector.pipeline();
  for (let n = 0; n < CHANGES; n++) {
    server.at = (server.at + 7919) % server.locks;
    pipeline.pexpire(`lock:orders:${String(server.at + 1).padStart(7, "0")}`, LEASE_MS);
  }
  await pipeline.exec();
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
