import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Hold } from "../lib/contract/actions/verb.ts";

export interface LockOptions {
  readonly owner: string;
  readonly purpose: string;
  readonly leaseMs?: number;
  readonly waitMs?: number;
  /** Whether the worker reads release requests when it renews. */
  readonly receivesReleaseRequests?: boolean;
}

const REFUSALS = new Set([409, 410, 429]);

/** A client of the lock API. Each verb is one POST request with an Idempotency-Key. */
export class LockApi {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly service: string,
  ) {}

  /** Returns `undefined` if another client holds the lock. */
  async acquire(
    key: string,
    { owner, purpose, leaseMs = 10_000, waitMs = 0, receivesReleaseRequests = false }: LockOptions,
  ): Promise<Hold | undefined> {
    const record = { service: this.service, host: hostname(), pid: process.pid, purpose };
    return await this.#acquire(key, { owner, leaseMs, waitMs, receivesReleaseRequests, record });
  }

  /** Re-enters a hold. Returns `undefined` if it was lost. */
  async reenter({ key, holdId }: Hold): Promise<Hold | undefined> {
    return await this.#acquire(key, { reenter: holdId });
  }

  /** Returns `undefined` if the hold was lost. */
  async renew({ holdId }: Hold): Promise<Hold | undefined> {
    return await this.#postForHold(`holds/${holdId}/renew`, {});
  }

  /** Answers the release request of a renewed hold. */
  async answerReleaseRequest(
    { holdId, releaseRequested }: Hold,
    answer: "accepted" | "refused",
    text: string,
  ): Promise<void> {
    const requestId = releaseRequested?.requestId;
    await this.#post(`holds/${holdId}/answer-release-request`, { requestId, answer, text });
  }

  /** Decrements the count by one. */
  async release({ holdId }: Hold): Promise<void> {
    await this.#post(`holds/${holdId}/release`, {});
  }

  /** Returns `false` if another client held the lock the whole time. */
  async withLock(key: string, options: LockOptions, work: (hold: Hold) => Promise<void>): Promise<boolean> {
    const hold = await this.acquire(key, options);
    if (hold === undefined) return false;
    try {
      await work(hold);
    } finally {
      await this.release(hold);
    }
    return true;
  }

  async #acquire(key: string, body: object): Promise<Hold | undefined> {
    return await this.#postForHold(`locks/${encodeURIComponent(key)}/acquire`, body);
  }

  async #postForHold(path: string, body: object): Promise<Hold | undefined> {
    const response = await this.#post(path, body);
    return response.ok ? ((await response.json()) as Hold) : undefined;
  }

  /** Throws unless the request succeeded or was refused because of the lock (409, 410) or the load (429). */
  async #post(path: string, body: object): Promise<Response> {
    const response = await fetch(`${this.url}/api/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      body: JSON.stringify(body),
    });
    if (response.ok || REFUSALS.has(response.status)) return response;
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
}
