import { Hold } from "../../../lib/contract/actions/verb.ts";
import { HttpHold } from "./http-hold.ts";
import type { AcquireRequest, HeldLock, LockingClient } from "./locking-client.ts";
import { RetryingHttpClient } from "./retrying-http-client.ts";
import type { HttpAccess } from "./task.ts";

const ASK_MS = 4000;

/** The API as an app uses it that keeps to the README: it renews, counts its deadline, and asks again what was lost. */
export class HttpClient implements LockingClient {
  readonly #calls: RetryingHttpClient;

  constructor(door: HttpAccess) {
    this.#calls = new RetryingHttpClient(door);
  }

  async acquire(lock: string, wish: AcquireRequest & { readonly signal: AbortSignal }): Promise<HeldLock> {
    const { owner, leaseMs, waitMs, format, renew, signal } = wish;
    const path = `/locks/${encodeURIComponent(lock)}/acquire`;
    const call = { path, body: { owner, leaseMs, format }, forMs: ASK_MS, signal };
    const granted = await this.#calls.request(waitMs > 0 ? { ...call, waitMs } : call, (body) =>
      Hold.parse(body),
    );
    return new HttpHold(this.#calls, granted, renew);
  }

  /** Connections are kept open by Node, and end with the process. */
  close(): void {}
}
