import type { IncomingMessage } from "node:http";

/**
 * Sets the headers from which a server-rendered page reads information about its request, because Next removes its own
 * headers before it renders a page. `x-page-load` replaces any value from the client. An existing `x-forwarded-for` is
 * kept, because `HttpServer` has already removed untrusted values.
 */
export function setPageRequestHeaders({ headers, socket }: IncomingMessage): void {
  // The `rsc` header is set on requests by Next's client, which are sent when the browser already shows a page.
  headers["x-page-load"] = headers.rsc === undefined ? "document" : "navigation";
  // The page calls the API on behalf of the client with this address.
  headers["x-forwarded-for"] ??= socket.remoteAddress;
}
