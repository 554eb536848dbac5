import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * How a request is disturbed. `bad_gateway` returns 502 without forwarding the request. `lose_response` forwards the
 * request, but returns 502 to the client. `hang` neither forwards the request nor responds.
 */
export type Fault = "none" | "bad_gateway" | "lose_response" | "hang";

export interface ProxiedRequest {
  readonly at: number;
  readonly verb: string;
  readonly fault: Fault;
}

const BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>\n";

/** A reverse proxy in front of the test server that disturbs selected requests. */
export class FaultyProxy {
  readonly requests: ProxiedRequest[] = [];
  /** Returns the fault for a request by the last segment of its path, such as `renew`. */
  getFault: (verb: string) => Fault = () => "none";
  /** Called when a request has arrived, before it is forwarded. */
  onRequest: (verb: string) => void = () => undefined;
  readonly #server: Server;

  private constructor(private readonly target: string) {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verb = request.url?.split("/").at(-1) ?? "";
    const fault = this.getFault(verb);
    this.requests.push({ at: Date.now(), verb, fault });
    this.onRequest(verb);
    if (fault === "hang") return;
    const reply = fault === "bad_gateway" ? undefined : await this.#forward(request, response);
    if (reply === undefined || fault === "lose_response") {
      response.writeHead(502, { "content-type": "text/html" }).end(BAD_GATEWAY);
      return;
    }
    const contentType = reply.headers.get("content-type") ?? "application/json";
    response.writeHead(reply.status, { "content-type": contentType }).end(await reply.text());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<Response> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const cancelled = new AbortController();
    response.on("close", () => cancelled.abort());
    const headers: Record<string, string> = {};
    for (const name of ["authorization", "content-type", "idempotency-key"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers[name] = value;
    }
    const body = Buffer.concat(chunks);
    return await fetch(this.target + request.url, {
      method: request.method ?? "GET",
      headers,
      ...(body.length > 0 ? { body } : {}),
      signal: cancelled.signal,
    });
  }
}
