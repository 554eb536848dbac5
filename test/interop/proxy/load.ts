import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT_KEY } from "../../support/test-server.ts";

const CONNECTIONS = 32;
/** Delay of a retry in ms if the response has no `Retry-After` header. */
const RETRY_MS = 50;

/** Numbers of the requests that were sent, retried and lost. */
export interface LoadCounts {
  readonly requests: number;
  /** Number of requests whose first attempt failed, by status or error code. */
  readonly retried: Readonly<Record<string, number>>;
  /** Number of requests whose second attempt failed as well, by status or error code. */
  readonly lost: Readonly<Record<string, number>>;
}

interface Reply {
  /** The HTTP status, or the code of the connection error. */
  readonly status: string;
  readonly body: string;
  readonly retryAfterMs: number;
}

/**
 * Clients that each acquire, read, renew and release one lock through a proxy. They repeat a failed request once, after
 * the time in `Retry-After`.
 */
export class Load {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #retried: Record<string, number> = {};
  readonly #lost: Record<string, number> = {};
  readonly #workers: Promise<void>[];
  #requests = 0;
  #isStopped = false;

  /** @param perSecond target number of requests per second of all clients together */
  constructor(
    private readonly url: string,
    perSecond: number,
  ) {
    const pauseMs = (1000 * CONNECTIONS) / perSecond;
    this.#workers = Array.from({ length: CONNECTIONS }, (_, n) => this.#work(`lock:load:${n}`, pauseMs));
  }

  async stop(): Promise<LoadCounts> {
    this.#isStopped = true;
    await Promise.all(this.#workers);
    this.#agent.destroy();
    return { requests: this.#requests, retried: this.#retried, lost: this.#lost };
  }

  async #work(key: string, pauseMs: number): Promise<void> {
    let nextAt = performance.now() + Math.random() * pauseMs;
    const call = async (path: string, body?: object) => {
      nextAt = Math.max(nextAt + pauseMs, performance.now() - pauseMs);
      await sleep(Math.max(0, nextAt - performance.now()));
      return await this.#callTwice(path, body);
    };
    while (!this.#isStopped) {
      const hold = await call(`/locks/${encodeURIComponent(key)}/acquire`, { owner: key, leaseMs: 2000 });
      if (hold === undefined) continue;
      await call(`/locks/${encodeURIComponent(key)}`);
      const { holdId } = JSON.parse(hold);
      await call(`/holds/${holdId}/renew`, {});
      await call(`/holds/${holdId}/release`, {});
    }
  }

  async #callTwice(path: string, body?: object): Promise<string | undefined> {
    const id = randomUUID();
    this.#requests++;
    const first = await this.#send(path, id, body);
    if (isDone(first.status)) return first.body;
    count(this.#retried, first.status);
    await sleep(first.retryAfterMs);
    const second = await this.#send(path, id, body);
    if (isDone(second.status)) return second.body;
    count(this.#lost, second.status);
    return undefined;
  }

  #send(path: string, id: string, body?: object): Promise<Reply> {
    const isAcquire = path.endsWith("/acquire");
    const options = {
      agent: this.#agent,
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${ROOT_KEY}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(isAcquire ? { "idempotency-key": id } : {}),
      },
    };
    return new Promise((resolve) => {
      const fail = (error: NodeJS.ErrnoException) =>
        resolve({ status: error.code ?? error.message, body: "", retryAfterMs: RETRY_MS });
      const sent = request(`${this.url}/api/v1${path}`, options, (response) => {
        const seconds = Number(response.headers["retry-after"] ?? Number.NaN);
        const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : RETRY_MS;
        text(response).then(
          (body) => resolve({ status: String(response.statusCode), body, retryAfterMs }),
          fail,
        );
      });
      sent.on("error", fail).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/**
 * Whether the request succeeded or was rejected by the lock core. Only other results are failures, which the client
 * must repeat.
 */
function isDone(status: string): boolean {
  return /^[234]\d\d$/.test(status) && status !== "499" && status !== "429";
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
