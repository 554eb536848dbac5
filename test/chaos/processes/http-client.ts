import { pathToFileURL } from "node:url";
import type { LockkeeperClient } from "../../../lib/client/lockkeeper-client.ts";
import { countAttempts, fetchAndCount } from "./attempt-counter.ts";
import { HttpHold, throwFailure } from "./http-hold.ts";
import type { AcquireRequest, HeldLock, LockingClient } from "./locking-client.ts";
import type { HttpAccess } from "./task.ts";

type ClientModule = typeof import("../../../lib/client/lockkeeper-client.ts");

/** Locks through the product's HTTP client, loaded from the core under test. */
export class HttpClient implements LockingClient {
  private constructor(private readonly client: LockkeeperClient) {}

  static async open({ core, urls, apiKey }: HttpAccess): Promise<HttpClient> {
    const { LockkeeperClient }: ClientModule = await import(
      pathToFileURL(`${core}/lib/client/lockkeeper-client.ts`).href
    );
    return new HttpClient(new LockkeeperClient({ url: urls, apiKey, fetch: fetchAndCount }));
  }

  async acquire(lock: string, wish: AcquireRequest & { readonly signal: AbortSignal }): Promise<HeldLock> {
    const { renew, ...options } = wish;
    const renewal = renew ? "automatic" : "manual";
    const { result, asked } = await countAttempts("acquire", () =>
      this.client.acquire(lock, { ...options, renewal }).catch(throwFailure),
    );
    return new HttpHold(result, asked);
  }

  /** Does nothing. Node closes the connections when the process exits. */
  close(): void {}
}
