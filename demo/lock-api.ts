import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Hold } from "../lib/contract/actions/verb.ts";

export interface LockOptions {
  readonly owner: string;
  readonly purpose: string;
  readonly leaseMs?: number;
  readonly waitMs?: number;
}

const REFUSALS = new Set([409, 410, 429]);

/** The lock API as an app calls it: one POST a verb, an Idempotency-Key each. */
export class LockApi {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly service: string,
  ) {}

  /** undefined: somebody else has it. */
  async acquire(
    key: string,
    { owner, purpose, leaseMs = 10_000, waitMs = 0 }: LockOptions,
  ): Promise<Hold | undefined> {
    const record = { service: this.service, host: hostname(), pid: process.pid, purpose };
    return await this.#acquire(key, { owner, leaseMs, waitMs, record });
  }

  /** Enters a hold once more. undefined: it is lost. */
  async reenter({ key, holdId }: Hold): Promise<Hold | undefined> {
    return await this.#acquire(key, { reenter: holdId });
  }

  /** false: the hold is lost. */
  async renew({ holdId }: Hold): Promise<boolean> {
    return (await this.#post(`holds/${holdId}/renew`, {})).ok;
  }

  /** Gives back one count. */
  async release({ holdId }: Hold): Promise<void> {
    await this.#post(`holds/${holdId}/release`, {});
  }

  /** false: somebody else had the lock all the time. */
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
    const response = await this.#post(`locks/${encodeURIComponent(key)}/acquire`, body);
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
