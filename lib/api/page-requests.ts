import type { Reachability } from "./reachability.ts";

/** Header of requests in which Next fetches or prefetches the payload of a page. */
const PAYLOAD_HEADER = "rsc";
const PREFETCH_HEADER = "next-router-prefetch";
/** HTTP statuses that a proxy sends if the server behind it is unreachable. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 5000;

interface PageRequestPorts {
  reachability: Reachability;
  send: typeof fetch;
  sleep(ms: number): Promise<unknown>;
}

/**
 * Creates a `fetch` that delays requests for pages until the server is reachable, and retries them until the server
 * responds or the request is aborted. The statuses 502, 503 and 504 count as no response. Without the delay, Next would
 * turn a failed request into a browser navigation, which would replace the console with the browser's error page. While
 * a request is delayed, the current page stays visible. Prefetches fail immediately while the server is unreachable,
 * and all other requests are sent unchanged.
 */
export function createPageFetch({ reachability, send, sleep }: PageRequestPorts): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has(PAYLOAD_HEADER)) return await send(input, init);
    if (headers.has(PREFETCH_HEADER)) {
      if (!reachability.isReachable) throw new TypeError("The server is unreachable.");
      return await send(input, init);
    }
    for (let retryMs = RETRY_MIN_MS; ; retryMs = Math.min(RETRY_MAX_MS, 2 * retryMs)) {
      await reachability.whenReachable();
      const response = await send(input, init).catch((error: unknown) => {
        // The request was aborted, because the user has navigated to another page.
        if (init?.signal?.aborted) throw error;
      });
      if (response !== undefined && !GATEWAY_STATUSES.has(response.status)) return response;
      // The live stream has not detected the outage yet, or this tab has no stream. Retries after a pause.
      await sleep(retryMs);
    }
  };
}

/**
 * Replaces the global `fetch` with the result of `createPageFetch`.
 *
 * @returns a function that restores the original `fetch`, unless the global `fetch` has been replaced again
 */
export function holdPageRequests(reachability: Reachability): () => void {
  const original = globalThis.fetch;
  const held = createPageFetch({
    reachability,
    send: (input, init) => original(input, init),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
  globalThis.fetch = held;
  return () => {
    if (globalThis.fetch === held) globalThis.fetch = original;
  };
}
