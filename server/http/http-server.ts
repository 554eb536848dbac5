import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { GUARDS } from "../api/http/http-exchange.ts";
import { problemOf } from "../api/http/problem.ts";
import type { Config } from "../config/config.ts";
import type { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { UriTooLongError } from "../errors/request-errors.ts";
import { StartupError } from "../errors/startup-error.ts";
import { FRONT_LIMITS, type FrontLimits, refuseMalformed, URL_LENGTH_MAX } from "./http-limits.ts";
import { secure } from "./security-headers.ts";

/** The application behind the HTTP server. */
export interface Application {
  readonly readiness: { readonly ready: boolean; readonly state: string };
  answerNode(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  answerMetrics(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  endHeld(): void;
  endStreams(): void;
}

export type PageHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> | void;

/** What is left to requests under way when we stop: a terminal waits for us, a drain has time for a whole verb. */
const ANSWER_MS = 1000;
const ANSWER_AFTER_DRAIN_MS = 2500;
const LOOK_FOR_IDLE_MS = 10;

/** The HTTP server: health and the API itself, everything else handed to the pages. */
export class Front {
  readonly server: Server;
  #application: Application | undefined;
  #page: PageHandler | undefined;
  readonly #drain = new AbortController();
  #isDraining = false;

  constructor(
    private readonly config: Config,
    limits: FrontLimits = FRONT_LIMITS,
  ) {
    this.server = createServer(limits, (incoming, outgoing) => this.#answer(incoming, outgoing));
    this.server.maxConnections = config.connectionsMax;
    // Hot reloads keep a connection that is silent for long.
    if (config.mode === "production") {
      this.server.timeout = limits.silentMs;
      this.#upgradeNothing();
    }
    this.server.on("clientError", refuseMalformed);
  }

  /**
   * Java's client asks with its first request for HTTP/2, which one may decline by answering as usual. With a listener
   * for upgrades, and Next sets one with its first page, Node answers no such request at all.
   */
  #upgradeNothing(): void {
    this.server.on("newListener", (event) => {
      if (event === "upgrade") queueMicrotask(() => this.server.removeAllListeners("upgrade"));
    });
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

  serve(application: Application): void {
    this.#application = application;
  }

  servePages(page: PageHandler): void {
    this.#page = page;
  }

  /**
   * Says that it is not ready any more and goes on for the time of the drain, then takes no more, answers who waits,
   * ends the streams, and gives what is under way a moment to be answered.
   */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const { drainMs } = this.config;
    this.#isDraining = true;
    await sleep(drainMs, undefined, { signal: this.#drain.signal }).catch(() => undefined);
    const closed = once(this.server, "close");
    this.server.close();
    this.#application?.endHeld();
    this.#application?.endStreams();
    const looks = setInterval(() => this.server.closeIdleConnections(), LOOK_FOR_IDLE_MS);
    const answerMs = drainMs > 0 ? ANSWER_AFTER_DRAIN_MS : ANSWER_MS;
    const cutOff = setTimeout(() => this.server.closeAllConnections(), answerMs);
    await closed;
    clearInterval(looks);
    clearTimeout(cutOff);
  }

  /** Ends the drain now. */
  hurry(): void {
    this.#drain.abort();
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { url = "/" } = incoming;
    const mark = url.indexOf("?");
    const asked = mark < 0 ? url : url.slice(0, mark);
    const path = this.#below(asked);
    const isApi = path?.startsWith("/api/") ?? false;
    // The next request on this connection is to find a server that stays.
    if (this.#isDraining) outgoing.setHeader("connection", "close");
    if (url.length > URL_LENGTH_MAX) refuseLong(outgoing);
    // Next redirects these forms to themselves for ever or fails, and its own door would believe their headers.
    else if (!asked.startsWith("/")) text(outgoing, 400, "this address must begin with /");
    else if (path === undefined) text(outgoing, 404, `Lockkeeper is below ${this.config.basePath}`);
    else if (path === "/healthz") text(outgoing, 200, "ok");
    else if (path === "/readyz") this.#answerReady(outgoing);
    else if (path === "/metrics") this.#answerMetrics(incoming, outgoing);
    else if (isApi && this.config.door === "fast" && this.#application !== undefined) {
      incoming.url = url.slice(this.config.basePath.length);
      this.#settleClient(incoming);
      void this.#application.answerNode(incoming, outgoing);
    } else if (this.#application === undefined || this.#page === undefined) answerStarting(outgoing, isApi);
    else if (!isDecodable(path)) text(outgoing, 400, "this address is not percent-encoded UTF-8");
    else this.#answerPage(incoming, outgoing, isApi, this.#page);
  }

  #answerPage(incoming: IncomingMessage, outgoing: ServerResponse, isApi: boolean, page: PageHandler): void {
    this.#settleClient(incoming);
    if (!isApi) secure(incoming, outgoing, this.config);
    void page(incoming, outgoing);
  }

  /** The path without what the console is below; undefined for one that is not below it. */
  #below(path: string): string | undefined {
    const { basePath } = this.config;
    if (basePath === "" || !path.startsWith(basePath)) return basePath === "" ? path : undefined;
    const rest = path.slice(basePath.length);
    return rest === "" || rest.startsWith("/") ? rest : undefined;
  }

  /**
   * Both doors learn who asks, and over what, from these headers; so nobody may have set them but us and the proxies
   * that we trust.
   */
  #settleClient({ headers, socket }: IncomingMessage): void {
    const { trustedProxies, door } = this.config;
    const forwarded = String(headers["x-forwarded-for"] ?? "");
    const isTrusted = trustedProxies.trusts(socket.remoteAddress);
    if (!isTrusted) {
      delete headers["x-forwarded-proto"];
      delete headers["x-forwarded-host"];
    }
    if (isTrusted || door === "next") {
      headers["x-forwarded-for"] = trustedProxies.clientOf(socket.remoteAddress, forwarded);
    } else delete headers["x-forwarded-for"];
  }

  #answerMetrics(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.#application === undefined) {
      answerStarting(outgoing, true);
      return;
    }
    this.#settleClient(incoming);
    void this.#application.answerMetrics(incoming, outgoing);
  }

  #answerReady(outgoing: ServerResponse): void {
    const state = this.#isDraining
      ? { ready: false, state: "draining" }
      : (this.#application?.readiness ?? { ready: false, state: "starting" });
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

function refuseLong(outgoing: ServerResponse): void {
  refuse(
    outgoing,
    new UriTooLongError(
      `The address has more than ${URL_LENGTH_MAX} characters; a key has at most 1024 bytes.`,
    ),
  );
}

/** Apps are answered as by the API: nothing was done, and they may ask again. */
function answerStarting(outgoing: ServerResponse, isApi: boolean): void {
  if (!isApi) text(outgoing, 503, "starting");
  else {
    refuse(
      outgoing,
      new UnavailableError(
        "Lockkeeper is starting and has not reached Redis yet. Nothing was done; try again.",
      ),
    );
  }
}

function refuse(outgoing: ServerResponse, error: LockkeeperError): void {
  const { status, headers, body } = problemOf(error);
  const length = Buffer.byteLength(String(body));
  outgoing.writeHead(status, { ...GUARDS, ...headers, "content-length": length }).end(body);
}

function text(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    ...GUARDS,
  });
  outgoing.end(`${body}\n`);
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
