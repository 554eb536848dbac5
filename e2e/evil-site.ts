import { once } from "node:events";
import { createServer } from "node:http";
import type { Page } from "@playwright/test";

/**
 * Records the status of each API request on the network level, because a page cannot read the responses of another
 * site.
 *
 * @returns a function that lists the requests so far, each as `METHOD STATUS`
 */
export async function collectApiStatuses(page: Page, url: string): Promise<() => string[]> {
  const session = await page.context().newCDPSession(page);
  // The two network events of a request can arrive in either order.
  const methods = new Map<string, string>();
  const statuses = new Map<string, number>();
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (request.url.startsWith(`${url}/api/`)) methods.set(requestId, request.method);
  });
  session.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode }) =>
    statuses.set(requestId, statusCode),
  );
  await session.send("Network.enable");
  return () =>
    [...methods].map(([id, method]) => `${method} ${statuses.get(id) ?? "no response"}`).toSorted();
}

/** Starts a second site on this machine. Its page has no content security policy. */
export async function startEvilSite() {
  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<p>evil"),
  );
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://localhost:${address.port}/`, stop };
}
