/**
 * Generates load over HTTP. Each connection acquires and releases locks, one request at a time. Requests are written as
 * text to plain sockets, because a client library would use as much CPU time as the server.
 */
import { Connection } from "../http/connection.ts";
import { createDialect, type Dialect, type Target } from "../http/dialects.ts";
import { KeyCycle } from "../http/key-cycle.ts";
import type { LoadRequest, LoadResponse } from "../http/load-messages.ts";

interface Load {
  readonly dialect: Dialect;
  readonly connections: readonly Connection[];
  /** Rejects when a connection fails. */
  readonly broken: Promise<never>;
}

let load: Load | undefined;

async function open(target: Target, count: number): Promise<Load> {
  let fail: (why: string) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    fail = (why) => reject(new Error(why));
  });
  broken.catch(() => undefined);
  const opening = Array.from({ length: count }, () => Connection.open(target.port, (why) => fail(why)));
  const connections = await Promise.race([Promise.all(opening), broken]);
  return { dialect: createDialect(target), connections, broken };
}

async function runPairs({ dialect, connections, broken }: Load, forMs: number, prefix: string) {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const endAt = startedAt + forMs;
  let pairs = 0;
  const work = (connection: Connection, lane: number) =>
    new Promise<void>((resolve, reject) => {
      const keys = new KeyCycle(prefix, lane, connections.length);
      const next = () => {
        if (performance.now() >= endAt) return resolve();
        const lock = keys.next();
        connection.send(dialect.acquire(lock), (grant) => {
          if (!dialect.isGranted(grant)) return reject(new Error(`No grant: ${grant.slice(0, 300)}`));
          connection.send(dialect.release(lock, grant), (released) => {
            if (!dialect.isReleased(released)) {
              return reject(new Error(`Not released: ${released.slice(0, 300)}`));
            }
            pairs++;
            next();
          });
        });
      };
      next();
    });
  await Promise.race([Promise.all(connections.map(work)), broken]);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { pairs, seconds, cpuMicros: user + system };
}

async function handleRequest(words: LoadRequest): Promise<LoadResponse> {
  if (words.do === "open") load = await open(words.target, words.connections);
  if (words.do === "close") for (const connection of load?.connections ?? []) connection.close();
  if (words.do !== "run" || load === undefined) return { is: "done" };
  return { is: "ran", ...(await runPairs(load, words.forMs, words.prefix)) };
}

process.on("message", async (words: LoadRequest) => {
  const says = await handleRequest(words).catch(
    (error): LoadResponse => ({ is: "failed", why: String(error) }),
  );
  process.send?.(says);
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
