import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Grant } from "../lib/contract/actions/verb.ts";

export interface LockOptions {
  readonly owner: string;
  readonly purpose: string;
  readonly leaseMs?: number;
  readonly waitMs?: number;
}

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
  ): Promise<Grant | undefined> {
    const record = { service: this.service, host: hostname(), pid: process.pid, purpose };
    const response = await this.#post(key, "acquire", { owner, leaseMs, waitMs, record });
    return response.ok ? ((await response.json()) as Grant) : undefined;
  }

  /** false: the hold is lost. */
  async renew(key: string, owner: string, leaseMs: number): Promise<boolean> {
    return (await this.#post(key, "renew", { owner, leaseMs })).ok;
  }

  async release(key: string, owner: string): Promise<void> {
    await this.#post(key, "release", { owner });
  }

  /** false: somebody else had the lock all the time. */
  async withLock(key: string, options: LockOptions, work: (grant: Grant) => Promise<void>): Promise<boolean> {
    const grant = await this.acquire(key, options);
    if (grant === undefined) return false;
    try {
      await work(grant);
    } finally {
      await this.release(key, options.owner);
    }
    return true;
  }

  /** 409 and 429 are answers; anything else that is not a success is a fault. */
  async #post(key: string, verb: string, body: object): Promise<Response> {
    const response = await fetch(`${this.url}/api/v1/locks/${encodeURIComponent(key)}/${verb}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      body: JSON.stringify(body),
    });
    if (response.ok || response.status === 409 || response.status === 429) return response;
    throw new Error(`${verb} of ${key}: ${response.status} ${await response.text()}`);
  }
}
