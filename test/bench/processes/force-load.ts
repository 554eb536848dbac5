/**
 * Acquires locks over HTTP and releases them, alternately as their holder and by force as an operator. A temporary
 * slowdown therefore affects both.
 */
import { Connection } from "../http/connection.ts";
import { createDialect, post, type Target } from "../http/dialects.ts";
import type { ForceRequest, ForceResponse } from "../http/force-messages.ts";

interface HeldLock {
  readonly lock: string;
  readonly grant: string;
}

let target: Target | undefined;
let connections: readonly Connection[] = [];
let taken: HeldLock[] = [];
let fail: (why: string) => void = () => undefined;

async function open(at: Target, count: number): Promise<void> {
  target = at;
  const opening = Array.from({ length: count }, () => Connection.open(at.port, (why) => fail(why)));
  connections = await Promise.all(opening);
}

/** Sends the requests over all connections, one at a time on each, until all have been sent and answered. */
async function ask(requests: Iterator<{ text: string; onBody: (body: string, ms: number) => void }>) {
  const work = (connection: Connection) =>
    new Promise<void>((resolve, reject) => {
      fail = (why) => reject(new Error(why));
      const next = () => {
        const request = requests.next();
        if (request.done) return resolve();
        const { text, onBody } = request.value;
        const sentAt = performance.now();
        connection.send(text, (body) => {
          onBody(body, performance.now() - sentAt);
          next();
        });
      };
      next();
    });
  await Promise.all(connections.map(work));
}

async function acquireLocks(at: Target, prefix: string, locks: number): Promise<void> {
  const dialect = createDialect(at);
  taken = [];
  const requests = Array.from({ length: locks }, (_, n) => {
    const lock = `${prefix}:${n}`;
    return { text: dialect.acquire(lock), onBody: (grant: string) => void taken.push({ lock, grant }) };
  });
  await ask(requests.values());
}

async function forceReleaseLocks(at: Target): Promise<ForceResponse> {
  const dialect = createDialect(at);
  const versions = await readVersions(at);
  const ms = { release: [] as number[], force: [] as number[] };
  const requests = taken.map(({ lock, grant }, n) => {
    const by = n % 2 === 0 ? "release" : "force";
    return {
      text: by === "release" ? dialect.release(lock, grant) : buildForceRequest(at, lock, versions.get(lock)),
      onBody(body: string, took: number) {
        if (!body.includes('"outcome":"released"')) fail(`${by} was answered ${body.slice(0, 300)}`);
        ms[by].push(took);
      },
    };
  });
  await ask(requests.values());
  return { is: "freed", releaseMs: ms.release, forceMs: ms.force };
}

/**
 * Reads the versions of the locks, which a force-release requires. These requests are not part of the measured times.
 */
async function readVersions({ port, secret }: Target): Promise<ReadonlyMap<string, unknown>> {
  const versions = new Map<string, unknown>();
  const requests = taken.map(({ lock }) => ({
    text: `GET /api/v1/locks/${encodeURIComponent(lock)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${secret}\r\n\r\n`,
    onBody: (body: string) => void versions.set(lock, JSON.parse(body).version),
  }));
  await ask(requests.values());
  return versions;
}

function buildForceRequest({ port, secret }: Target, lock: string, version: unknown): string {
  const headers = `authorization: Bearer ${secret}\r\ncontent-type: application/json\r\n`;
  const body = JSON.stringify({ expectedVersion: version, reason: "its worker lost its node" });
  return post(port, `/api/v1/locks/${encodeURIComponent(lock)}/force-release`, headers, body);
}

async function handleRequest(words: ForceRequest): Promise<ForceResponse> {
  if (words.do === "open") await open(words.target, words.connections);
  else if (target === undefined) throw new Error("nothing is open");
  else if (words.do === "take") await acquireLocks(target, words.prefix, words.locks);
  else return await forceReleaseLocks(target);
  return { is: "done" };
}

process.on("message", async (words: ForceRequest) => {
  const says = await handleRequest(words).catch(
    (error): ForceResponse => ({ is: "failed", why: String(error) }),
  );
  process.send?.(says);
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
