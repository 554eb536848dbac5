/**
 * Sends verbs over HTTP at a fixed rate, even if the server does not keep up. If no connection is free, the verb waits,
 * and that time is part of its duration. A server that stalls therefore delays all verbs that are due, not only one per
 * connection.
 */
import { Connection } from "../http/connection.ts";
import { createDialect, type Dialect } from "../http/dialects.ts";
import type { PacedRequest, PacedResponse } from "../http/paced-messages.ts";

/** Number of locks that are held at the same time. */
const HELD = 32;
const TICK_MS = 1;
/** Number of queued verbs above which the run fails, because the server does not keep up. */
const QUEUE_MAX = 20_000;

interface Verb {
  readonly text: string;
  readonly dueAt: number;
  onBody(body: string): void;
}

interface Load {
  readonly dialect: Dialect;
  readonly connections: readonly Connection[];
  readonly idle: Connection[];
}

let fail: (why: string) => void = () => undefined;

async function open({ target, connections: count }: PacedRequest): Promise<Load> {
  const opening = Array.from({ length: count }, () => Connection.open(target.port, (why) => fail(why)));
  const connections = await Promise.all(opening);
  return { dialect: createDialect(target), connections, idle: [...connections] };
}

class PacedRun {
  readonly ms: number[] = [];
  readonly #queue: Verb[] = [];
  readonly #held: { readonly lock: string; readonly grant: string }[] = [];
  #sent = 0;
  #open = 0;

  constructor(
    private readonly load: Load,
    private readonly prefix: string,
  ) {}

  get isSettled(): boolean {
    return this.#open === 0;
  }

  /** Queues the next verb: the release of the oldest lock if `HELD` locks are held, otherwise an acquire. */
  sendNext(): void {
    if (this.#queue.length > QUEUE_MAX) {
      fail("The server does not keep up");
      return;
    }
    this.#open++;
    const held = this.#held.length >= HELD ? this.#held.shift() : undefined;
    this.#queue.push(held === undefined ? this.#createAcquire() : this.#createRelease(held));
    this.#pump();
  }

  #createAcquire(): Verb {
    const { dialect } = this.load;
    const lock = `${this.prefix}:${this.#sent++}`;
    const onBody = (grant: string) => {
      if (!dialect.isGranted(grant)) return fail(`No grant: ${grant.slice(0, 300)}`);
      this.#held.push({ lock, grant });
    };
    return { text: dialect.acquire(lock), dueAt: performance.now(), onBody };
  }

  #createRelease({ lock, grant }: { readonly lock: string; readonly grant: string }): Verb {
    const { dialect } = this.load;
    const onBody = (body: string) => {
      if (!dialect.isReleased(body)) fail(`Not released: ${body.slice(0, 300)}`);
    };
    return { text: dialect.release(lock, grant), dueAt: performance.now(), onBody };
  }

  #pump(): void {
    const { idle } = this.load;
    const connection = this.#queue.length > 0 ? idle.shift() : undefined;
    const verb = connection && this.#queue.shift();
    if (connection === undefined || verb === undefined) return;
    connection.send(verb.text, (body) => {
      this.ms.push(performance.now() - verb.dueAt);
      verb.onBody(body);
      this.#open--;
      idle.push(connection);
      this.#pump();
    });
  }
}

/** Sends verbs at a fixed rate. Verbs that were not sent in time are sent in the next tick. */
function runPaced(at: Load, { perSecond, forMs, prefix }: PacedRequest) {
  return new Promise<readonly number[]>((resolve, reject) => {
    const run = new PacedRun(at, prefix);
    const startedAt = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedAt;
      const due = (Math.min(elapsedMs, forMs) / 1000) * perSecond;
      for (; sent < due; sent++) run.sendNext();
      if (elapsedMs < forMs || !run.isSettled) return;
      clearInterval(timer);
      resolve(run.ms);
    }, TICK_MS);
    fail = (why) => {
      clearInterval(timer);
      reject(new Error(why));
    };
  });
}

async function handleRequest(request: PacedRequest): Promise<PacedResponse> {
  const load = await open(request);
  try {
    return { is: "ran", ms: await runPaced(load, request) };
  } finally {
    for (const connection of load.connections) connection.close();
  }
}

process.on("message", async (request: PacedRequest) => {
  const response = await handleRequest(request).catch(
    (error): PacedResponse => ({ is: "failed", why: String(error) }),
  );
  process.send?.(response);
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
