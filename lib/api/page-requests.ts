import type { Reachability } from "./reachability.ts";

/** The header with which Next requests or prefetches the payload of a page. */
const PAYLOAD_HEADER = "rsc";
const PREFETCH_HEADER = "next-router-prefetch";
/** The statuses that a proxy sends if its server is unreachable. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 5000;

interface PageRequestPorts {
  reachability: Reachability;
  send: typeof fetch;
  sleep(ms: number): Promise<unknown>;
}

/**
 * Creates a `fetch` that delays requests for pages while the server is unreachable. Next turns a failed request into a
 * browser navigation, which replaces the console with the browser's error page. During a delayed request, the current
 * page stays. When the server is reachable again, the request is sent. Does not delay other requests.
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
        // Another navigation has replaced this one.
        if (init?.signal?.aborted) throw error;
      });
      if (response !== undefined && !GATEWAY_STATUSES.has(response.status)) return response;
      // The live stream has not noticed the outage yet, or this tab has no stream.
      await sleep(retryMs);
    }
  };
}

/**
 * Replaces the global `fetch` with one that `createPageFetch` creates.
 *
 * @returns a function that restores the original
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
