import type { IncomingMessage } from "node:http";

/**
 * Sets the headers from which a server-rendered page reads facts about its request. Next removes its own headers before
 * a page sees the request. Values that a client sent under these names are replaced, unless a trusted proxy forwarded
 * the address.
 */
export function setPageRequestHeaders({ headers, socket }: IncomingMessage): void {
  // Next requests the payload of a page with this header when the browser already has a document.
  headers["x-page-load"] = headers.rsc === undefined ? "document" : "navigation";
  // The page calls the API on behalf of this client.
  headers["x-forwarded-for"] ??= socket.remoteAddress;
}
