import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { GUARD_HEADERS } from "../api/http/http-exchange.ts";
import { toProblemResponse } from "../api/http/problem.ts";
import type { Config } from "../config/config.ts";
import type { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { InvalidError, UriTooLongError } from "../errors/request-errors.ts";
import { StartupError } from "../errors/startup-error.ts";
import { closeConnections, closeListener } from "./close-server.ts";
import { HTTP_LIMITS, type HttpLimits, rejectMalformedRequest, URL_LENGTH_MAX } from "./http-limits.ts";
import { setPageRequestHeaders } from "./page-request-headers.ts";
import type { Readiness } from "./readiness.ts";
import { findPathFault, isDecodable } from "./request-path.ts";
import { setSecurityHeaders } from "./security-headers.ts";

/** The part of the server that handles API and metrics requests. It is attached to the `HttpServer` after startup. */
export interface Application {
  readonly readiness: Readiness;
  handleNodeRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  handleMetricsRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  endPendingRequests(): void;
  closeStreams(): void;
}

export type PageHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> | void;

/**
 * The phase of the server. `draining`: the server is not ready but still serves requests, and each response closes its
 * connection, so that clients move to another instance. `settling`: the listener is about to close, and connections
 * stay open, so that clients do not open new connections. `closing`: the listener is closed, and each response closes
 * its connection.
 */
type Phase = "serving" | "draining" | "settling" | "closing";

/**
 * Time limit in ms for requests that are in progress when the server stops. Without a drain, the limit is short,
 * because a user may be waiting at a terminal. After a drain, the limit is long enough to complete a verb.
 */
const STOP_GRACE_MS = 1000;
const STOP_GRACE_AFTER_DRAIN_MS = 2500;

/**
 * Serves health checks, metrics and, with the `node` adapter, the API. Passes all other requests to the console
 * pages.
 */
export class HttpServer {
  readonly server: Server;
  #application: Application | undefined;
  #pageHandler: PageHandler | undefined;
  readonly #drain = new AbortController();
  #phase: Phase = "serving";

  constructor(
    private readonly config: Config,
    limits: HttpLimits = HTTP_LIMITS,
  ) {
    this.server = createServer(limits, (incoming, outgoing) => this.#handleRequest(incoming, outgoing));
    this.server.maxConnections = config.connectionsMax;
    // Not in development, where hot reloading uses a connection that can be silent for a long time, and upgrades.
    if (config.mode === "production") {
      this.server.timeout = limits.inactivityTimeoutMs;
      this.#disableUpgrades();
    }
    this.server.on("clientError", (error, socket) => rejectMalformedRequest(error, socket, config.basePath));
  }

  /**
   * Disables protocol upgrades by removing all upgrade listeners. Java's HTTP client requests an upgrade to HTTP/2 with
   * its first request. Without an `upgrade` listener, Node ignores the `Upgrade` header and serves the request
   * normally. Next adds a listener when it serves its first page.
   */
  #disableUpgrades(): void {
    this.server.on("newListener", (event) => {
      if (event === "upgrade") queueMicrotask(() => this.server.removeAllListeners("upgrade"));
    });
  }

  /**
   * Starts listening and returns the port.
   *
   * @throws StartupError if the port is in use or requires elevated privileges, or if the address does not belong to
   * this machine
   */
  async listen(): Promise<number> {
    const { port, host } = this.config;
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", (error: NodeJS.ErrnoException) =>
        reject(explainListenError(error, this.config)),
      );
      this.server.listen(port, host, resolve);
    });
    return this.port;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === "object" && address !== null ? address.port : this.config.port;
  }

  attachRuntime(application: Application): void {
    this.#application = application;
  }

  attachPages(page: PageHandler): void {
    this.#pageHandler = page;
  }

  /**
   * Stops the server: drains it, closes the listener, ends waits and streams, and closes the connections. Each
   * connection is closed after a response with `Connection: close` or when it is idle, so that a request in transit
   * still gets a response.
   */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const { drainMs } = this.config;
    this.#phase = "draining";
    await sleep(drainMs, undefined, { signal: this.#drain.signal }).catch(() => undefined);
    this.#phase = "settling";
    const closed = once(this.server, "close");
    await closeListener(this.server);
    this.#phase = "closing";
    this.#application?.endPendingRequests();
    this.#application?.closeStreams();
    const answerMs = drainMs > 0 ? STOP_GRACE_AFTER_DRAIN_MS : STOP_GRACE_MS;
    await closeConnections(this.server, closed, answerMs);
  }

  /** Ends the drain immediately, without waiting for `drainMs`. */
  skipDrain(): void {
    this.#drain.abort();
  }

  #handleRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { url = "/" } = incoming;
    const mark = url.indexOf("?");
    const requestPath = mark < 0 ? url : url.slice(0, mark);
    const path = this.#stripBasePath(requestPath);
    const isApi = path?.startsWith("/api/") ?? false;
    const pathFault = findPathFault(path ?? requestPath);
    if (this.#phase === "draining" || this.#phase === "closing") outgoing.setHeader("connection", "close");
    if (url.length > URL_LENGTH_MAX) rejectLongUrl(outgoing, this.config.basePath);
    // Next must not receive such URLs: it fails or redirects them to themselves endlessly, and the API adapter in Next
    // would trust their headers.
    else if (!requestPath.startsWith("/")) sendText(outgoing, 400, "The URL must start with /.");
    else if (pathFault !== undefined)
      sendProblem(outgoing, new InvalidError(`${pathFault} Nothing was done.`, {}), this.config.basePath);
    else if (path === undefined)
      sendText(outgoing, 404, `Lockkeeper is served below ${this.config.basePath}`);
    else if (path === "/healthz") sendText(outgoing, 200, "ok");
    else if (path === "/readyz") this.#handleReadiness(outgoing);
    else if (path === "/metrics") this.#handleMetrics(incoming, outgoing);
    else if (isApi && this.config.apiAdapter === "node" && this.#application !== undefined) {
      incoming.url = url.slice(this.config.basePath.length);
      this.#setClientHeaders(incoming);
      void this.#application.handleNodeRequest(incoming, outgoing);
    } else if (this.#application === undefined || this.#pageHandler === undefined)
      respondStarting(outgoing, isApi, this.config.basePath);
    else if (!isDecodable(path)) sendText(outgoing, 400, "The URL is not percent-encoded UTF-8.");
    else this.#handlePage(incoming, outgoing, isApi, this.#pageHandler);
  }

  #handlePage(incoming: IncomingMessage, outgoing: ServerResponse, isApi: boolean, page: PageHandler): void {
    this.#setClientHeaders(incoming);
    if (!isApi) {
      setPageRequestHeaders(incoming);
      setSecurityHeaders(incoming, outgoing, this.config);
    }
    void page(incoming, outgoing);
  }

  /** Returns the path without the base path, or `undefined` if the path is not below the base path. */
  #stripBasePath(path: string): string | undefined {
    const { basePath } = this.config;
    if (basePath === "" || !path.startsWith(basePath)) return basePath === "" ? path : undefined;
    const rest = path.slice(basePath.length);
    return rest === "" || rest.startsWith("/") ? rest : undefined;
  }

  /**
   * Sets the headers from which the API adapters read the address and protocol of the client. Removes values that do
   * not come from a trusted proxy.
   */
  #setClientHeaders({ headers, socket }: IncomingMessage): void {
    const { trustedProxies, apiAdapter } = this.config;
    const forwarded = String(headers["x-forwarded-for"] ?? "");
    const isTrusted = trustedProxies.isTrusted(socket.remoteAddress);
    if (!isTrusted) {
      delete headers["x-forwarded-proto"];
      delete headers["x-forwarded-host"];
    }
    if (isTrusted || apiAdapter === "next") {
      headers["x-forwarded-for"] = trustedProxies.resolveClientAddress(socket.remoteAddress, forwarded);
    } else delete headers["x-forwarded-for"];
  }

  #handleMetrics(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.#application === undefined) {
      respondStarting(outgoing, true, this.config.basePath);
      return;
    }
    this.#setClientHeaders(incoming);
    void this.#application.handleMetricsRequest(incoming, outgoing);
  }

  #handleReadiness(outgoing: ServerResponse): void {
    const { ready, state, warnings } =
      this.#phase === "serving"
        ? (this.#application?.readiness ?? { ready: false, state: "starting", warnings: [] })
        : { ready: false, state: "draining", warnings: [] };
    const isReady = ready && this.#pageHandler !== undefined;
    sendText(outgoing, isReady ? 200 : 503, [isReady ? "ready" : state, ...warnings].join("\n"));
  }
}

function rejectLongUrl(outgoing: ServerResponse, basePath: string): void {
  sendProblem(
    outgoing,
    new UriTooLongError(
      `The URL is longer than ${URL_LENGTH_MAX} characters. A key is limited to 1024 bytes.`,
    ),
    basePath,
  );
}

/** Responds with 503 while the server is starting. API clients get a problem document. */
function respondStarting(outgoing: ServerResponse, isApi: boolean, basePath: string): void {
  if (!isApi) sendText(outgoing, 503, "starting");
  else {
    sendProblem(
      outgoing,
      new UnavailableError(
        "Lockkeeper is starting and has not connected to Redis yet. Nothing was done. Retry later.",
      ),
      basePath,
    );
  }
}

function sendProblem(outgoing: ServerResponse, error: LockkeeperError, basePath: string): void {
  const { status, headers, body } = toProblemResponse(error, basePath);
  const length = Buffer.byteLength(String(body));
  outgoing.writeHead(status, { ...GUARD_HEADERS, ...headers, "content-length": length }).end(body);
}

function sendText(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    ...GUARD_HEADERS,
  });
  outgoing.end(`${body}\n`);
}

function explainListenError(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  if (error.code === "EADDRINUSE") {
    return new StartupError(
      `Port ${port} on ${host} is in use. Stop the process that uses it, or set PORT to another port.`,
    );
  }
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new StartupError(`HOST ${host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`);
  }
  if (error.code === "EACCES") {
    return new StartupError(`This account may not listen on port ${port}. Set PORT to 1024 or higher.`);
  }
  return error;
}
