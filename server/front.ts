import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { problemOf } from "./api/problem.ts";
import type { Config } from "./config.ts";
import { UnavailableError } from "./locks/errors.ts";
import type { Runtime } from "./runtime.ts";
import { StartupError } from "./startup-error.ts";

export type PageHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> | void;

/** Larger headers are refused by Node; a key of 1 KiB, percent-encoded, still fits. */
const HEADER_BYTES_MAX = 16 * 1024;
/** What is left to requests under way when we stop. */
const ANSWER_MS = 300;

/** The HTTP server: health and the API itself, everything else handed to the pages. */
export class Front {
  readonly server: Server;
  #runtime: Runtime | undefined;
  #page: PageHandler | undefined;

  constructor(private readonly config: Config) {
    this.server = createServer(
      { maxHeaderSize: HEADER_BYTES_MAX, requestTimeout: 70_000 },
      (incoming, outgoing) => this.#answer(incoming, outgoing),
    );
    this.server.on("clientError", refuseMalformed);
  }

  /** @throws StartupError when the port is taken or the address is not ours */
  async listen(): Promise<number> {
    const { port, host } = this.config;
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, this.config)));
      this.server.listen(port, host, resolve);
    });
    return this.port;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === "object" && address !== null ? address.port : this.config.port;
  }

  serve(runtime: Runtime): void {
    this.#runtime = runtime;
  }

  servePages(page: PageHandler): void {
    this.#page = page;
  }

  /** Takes no more, ends the streams, and gives what is under way a moment to be answered. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, "close");
    this.server.close();
    this.#runtime?.endStreams();
    this.server.closeIdleConnections();
    const cutOff = setTimeout(() => this.server.closeAllConnections(), ANSWER_MS);
    await closed;
    clearTimeout(cutOff);
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { url = "/" } = incoming;
    const mark = url.indexOf("?");
    const path = mark < 0 ? url : url.slice(0, mark);
    const isApi = path.startsWith("/api/");
    // Next redirects these forms to themselves for ever or fails, and its own door would believe their headers.
    if (!path.startsWith("/")) text(outgoing, 400, "this address must begin with /");
    else if (path === "/healthz") text(outgoing, 200, "ok");
    else if (path === "/readyz") this.#answerReady(outgoing);
    else if (path === "/metrics") this.#answerMetrics(incoming, outgoing);
    else if (isApi && this.config.door === "fast" && this.#runtime !== undefined) {
      void this.#runtime.answerNode(incoming, outgoing);
    } else if (this.#runtime === undefined || this.#page === undefined) answerStarting(outgoing, isApi);
    else if (!isDecodable(path)) text(outgoing, 400, "this address is not percent-encoded UTF-8");
    else this.#answerPage(incoming, outgoing, isApi, this.#page);
  }

  #answerPage(incoming: IncomingMessage, outgoing: ServerResponse, isApi: boolean, page: PageHandler): void {
    // The other door learns the peer's address from this header alone, so nobody else may set it.
    if (isApi) incoming.headers["x-forwarded-for"] = incoming.socket.remoteAddress;
    else setContentSecurityPolicy(incoming, outgoing, this.config.mode);
    void page(incoming, outgoing);
  }

  #answerMetrics(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.#runtime === undefined) answerStarting(outgoing, true);
    else void this.#runtime.answerMetrics(incoming, outgoing);
  }

  #answerReady(outgoing: ServerResponse): void {
    const state = this.#runtime?.readiness ?? { ready: false, state: "starting" };
    const isReady = state.ready && this.#page !== undefined;
    text(outgoing, isReady ? 200 : 503, isReady ? "ready" : state.state);
  }
}

/** Next answers an address that it cannot decode with a bare 500. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Apps are answered as by the API: nothing was done, and they may ask again. */
function answerStarting(outgoing: ServerResponse, isApi: boolean): void {
  if (!isApi) {
    text(outgoing, 503, "starting");
    return;
  }
  const { status, headers, body } = problemOf(
    new UnavailableError(
      "Lockkeeper is starting and has not reached Redis yet. Nothing was done; try again.",
    ),
  );
  outgoing.writeHead(status, headers).end(body);
}

function text(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  outgoing.end(`${body}\n`);
}

/** Next reads the nonce from the request's header and puts it on its own scripts. */
function setContentSecurityPolicy(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  mode: Config["mode"],
): void {
  const nonce = randomBytes(16).toString("base64");
  const isDevelopment = mode === "development";
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    isDevelopment ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  incoming.headers["content-security-policy"] = policy;
  incoming.headers["x-nonce"] = nonce;
  outgoing.setHeader("Content-Security-Policy", policy);
  outgoing.setHeader("X-Content-Type-Options", "nosniff");
  outgoing.setHeader("Referrer-Policy", "same-origin");
}

const REFUSALS: Record<string, [number, string, string, string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request Header Fields Too Large",
    "too_large",
    "The address and the headers together are larger than 16 KiB; a key has at most 1024 bytes.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "invalid", "The request did not arrive in time."],
};

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, title, code, detail] = REFUSALS[error.code ?? ""] ?? [
    400,
    "Bad Request",
    "invalid",
    "This is not HTTP.",
  ];
  const type = `https://lockkeeper.dev/problems/${code}`;
  const body = JSON.stringify({ type, title, status, code, detail });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function explain(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  if (error.code === "EADDRINUSE") {
    return new StartupError(
      `Port ${port} on ${host} is taken; stop what uses it or choose another with PORT.`,
    );
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new StartupError(`HOST ${host} is not an address of this machine; use 127.0.0.1 or 0.0.0.0.`);
  }
  if (error.code === "EACCES") {
    return new StartupError(
      `Port ${port} may not be used by this account; choose one from 1024 up with PORT.`,
    );
  }
  return error;
}
