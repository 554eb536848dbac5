import type { BrowserContext, CDPSession, Page } from "@playwright/test";

/** Network conditions from issue reports: 400 kbit/s in each direction, and a latency of 400 ms per request. */
const SLOW_NETWORK = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** Selector of a row of the list, rendered by the server or by the table. */
export const ANY_ROW = "[data-first-row], tr[data-path]";
/** Selector of a row that can be clicked. */
export const LIVE_ROW = "tr[data-path]";

export interface SlowLoad {
  /** Time from the navigation until the first row is on the screen, in ms. */
  readonly firstRowMs: number;
  /** Time from the navigation until rows of the table can be clicked, in ms. */
  readonly liveRowMs: number;
  /** Requests of the page. An iteration also returns requests that were sent after the page was loaded. */
  readonly requests: Iterable<LoadedRequest>;
}

export interface LoadedRequest {
  readonly type: string;
  readonly url: string;
  /** Number of transferred bytes, including headers. */
  bytes: number;
  /** Time of the request, in ms since the navigation. */
  readonly startMs: number;
  endMs: number | undefined;
}

/** Script that sets a performance mark when each kind of row is first on the screen. */
const MARK_ROWS = `(() => {
  const waiting = new Map([["first-row", ${JSON.stringify(ANY_ROW)}], ["live-row", ${JSON.stringify(LIVE_ROW)}]]);
  const observer = new MutationObserver(() => {
    for (const [mark, selector] of waiting) {
      if (document.querySelector(selector) === null) continue;
      waiting.delete(mark);
      requestAnimationFrame(() => setTimeout(() => performance.mark(mark), 0));
    }
    if (waiting.size === 0) observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
})()`;

/** Opens a page on an emulated slow network with empty caches. */
export async function loadSlowly(context: BrowserContext, url: string): Promise<SlowLoad & { page: Page }> {
  await context.addInitScript({ content: MARK_ROWS });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const requests = await recordRequests(session);
  await session.send("Network.emulateNetworkConditions", SLOW_NETWORK);
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(() => performance.getEntriesByName("live-row").length > 0, undefined, {
    timeout: 60_000,
  });
  const [firstRowMs = Number.NaN, liveRowMs = Number.NaN] = await page.evaluate(() =>
    ["first-row", "live-row"].map((name) => performance.getEntriesByName(name)[0]?.startTime),
  );
  return { page, firstRowMs, liveRowMs, requests };
}

async function recordRequests(session: CDPSession): Promise<Iterable<LoadedRequest>> {
  const requests = new Map<string, LoadedRequest>();
  let beganAt: number | undefined;
  const toMs = (seconds: number) => Math.round((seconds - (beganAt ?? seconds)) * 1000);
  session.on("Network.requestWillBeSent", ({ requestId, request, type, timestamp }) => {
    beganAt ??= timestamp;
    const { pathname, search } = new URL(request.url);
    requests.set(requestId, {
      type: type ?? "Other",
      url: pathname + search,
      bytes: 0,
      startMs: toMs(timestamp),
      endMs: undefined,
    });
  });
  session.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request !== undefined) request.bytes += encodedDataLength;
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength, timestamp }) => {
    const request = requests.get(requestId);
    if (request === undefined) return;
    request.bytes = encodedDataLength;
    request.endMs = toMs(timestamp);
  });
  await session.send("Network.enable");
  return { [Symbol.iterator]: () => requests.values() };
}
