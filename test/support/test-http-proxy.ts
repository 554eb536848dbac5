import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * How the proxy handles requests. `refuse`: responds with 502 and an HTML page without forwarding the request.
 * `drop_replies`: responds with 502 after the server has handled the request. `cut`: resets the connection after the
 * server has handled the request.
 */
export type HttpProxyMode = "pass" | "refuse" | "drop_replies" | "cut";

export interface TestHttpProxy {
  readonly url: string;
  mode: HttpProxyMode;
  /** The requests so far, in the form `POST /api/v1/…`. */
  readonly requests: readonly string[];
  /** The `Idempotency-Key` of each request. */
  readonly idempotencyKeys: readonly (string | undefined)[];
  /** Closes the connections of all clients. */
  dropConnections(): void;
  stop(): void;
}

const PAGE = "<html><body><h1>502 Bad Gateway</h1></body></html>";

/** Starts a reverse proxy in front of a server. */
export async function startTestHttpProxy(targetUrl: string): Promise<TestHttpProxy> {
  const requests: string[] = [];
  const idempotencyKeys: (string | undefined)[] = [];
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: TestHttpProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: "pass",
    requests,
    idempotencyKeys,
    dropConnections: () => server.closeAllConnections(),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { mode } = proxy;
    requests.push(`${incoming.method} ${incoming.url}`);
    idempotencyKeys.push(incoming.headers["idempotency-key"]?.toString());
    const reply = mode === "refuse" ? undefined : await forward(targetUrl, incoming);
    if (mode === "cut") return void incoming.socket.resetAndDestroy();
    if (mode === "pass" && reply !== undefined) {
      outgoing.writeHead(reply.status, reply.headers).end(reply.text);
    } else {
      outgoing.writeHead(502, { "content-type": "text/html" }).end(PAGE);
    }
  }
  return proxy;
}

async function forward(targetUrl: string, incoming: IncomingMessage) {
  let body = "";
  for await (const chunk of incoming) body += chunk;
  const headers = new Headers();
  for (const name of ["authorization", "content-type", "idempotency-key"]) {
    const value = incoming.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  const { method = "GET", url = "/" } = incoming;
  const init = { method, headers, ...(body === "" ? {} : { body }) };
  try {
    const response = await fetch(targetUrl + url, init);
    const sent: Record<string, string> = {};
    for (const name of ["content-type", "retry-after"]) {
      const value = response.headers.get(name);
      if (value !== null) sent[name] = value;
    }
    return { status: response.status, headers: sent, text: await response.text() };
  } catch {
    return undefined;
  }
}
