import type { IncomingMessage, ServerResponse } from "node:http";
import { InvalidError } from "../errors/request-errors.ts";
import type { AbortListener, AbortSignalLike } from "../locks/waiting/abort-signal-like.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { markDelivered, watchDelivery } from "./http/delivery.ts";
import {
  type Exchange,
  GUARD_HEADERS,
  type IdentifiedResponse,
  type ResponseSink,
} from "./http/http-exchange.ts";
import { endWithLingeringClose, isLingering } from "./http/lingering-close.ts";

/**
 * Adapts Node's request and response to `Exchange`, without creating objects of the web platform.
 *
 * A class with getters, so that fields that a request does not use are not computed. Closures would be created for each
 * request, and each costs as much as a header.
 */
class NodeExchange implements Exchange<void> {
  readonly method: string;
  readonly path: string;
  readonly #mark: number;

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
  ) {
    const { method = "GET", url = "/" } = incoming;
    this.#mark = url.indexOf("?");
    this.method = method;
    this.path = this.#mark < 0 ? url : url.slice(0, this.#mark);
  }

  get query(): URLSearchParams {
    return this.#mark < 0 ? NO_QUERY : new URLSearchParams(this.incoming.url?.slice(this.#mark + 1));
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  get remoteAddress(): string | undefined {
    // The header is set only by `http-server.ts`, for requests from trusted proxies.
    return this.header("x-forwarded-for") ?? this.incoming.socket.remoteAddress;
  }

  body(bytesMax: number): Promise<Uint8Array | undefined> {
    return readBody(this.incoming, bytesMax);
  }

  detach(): AbortSignalLike {
    this.incoming.removeAllListeners();
    Object.assign(this.incoming, { headers: NO_HEADERS, rawHeaders: [] });
    return new DisconnectSignal(this.outgoing);
  }

  deliver(answer: IdentifiedResponse): void {
    sendResponse(answer, this.incoming, this.outgoing);
  }
}

export function createNodeExchange(incoming: IncomingMessage, outgoing: ServerResponse): Exchange<void> {
  return new NodeExchange(incoming, outgoing);
}

export function handleNodeRequest(
  api: Dispatcher,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if (isLingering(incoming.socket)) return Promise.resolve();
  markDelivered(incoming.socket);
  return api.dispatch(new NodeExchange(incoming, outgoing));
}

/**
 * Reads the body. Resolves to `undefined` if the body is larger than `bytesMax`. Uses events, because for a small body,
 * an async iterator costs more than all other work.
 */
function readBody(incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    if (incoming.destroyed) return reject(createTruncatedBodyError());
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) resolve(undefined);
      else if (first === undefined) first = chunk;
      else if (rest === undefined) rest = [first, chunk];
      else rest.push(chunk);
    });
    incoming.on("end", () => resolve(rest === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(rest)));
    incoming.on("close", () => incoming.readableEnded || reject(createTruncatedBodyError()));
  });
}

function createTruncatedBodyError(): InvalidError {
  return new InvalidError("The connection ended before the body did.", {});
}

const NO_HEADERS = {};
const GUARD_HEADER_LIST: readonly string[] = Object.entries(GUARD_HEADERS).flat();
const NO_QUERY = new URLSearchParams();
const LISTENER = Symbol("listener");

/**
 * A signal that aborts when the client disconnects. An `AbortSignal` is not used, because it would need half as much
 * memory as the whole waiting request.
 */
class DisconnectSignal implements AbortSignalLike {
  constructor(private readonly outgoing: ServerResponse & { [LISTENER]?: AbortListener }) {}

  get aborted(): boolean {
    return this.outgoing.destroyed && !this.outgoing.writableFinished;
  }

  addEventListener(_type: "abort", listener: AbortListener): void {
    this.outgoing[LISTENER] = listener;
    this.outgoing.on("close", notifyDisconnect);
  }

  removeEventListener(): void {
    this.outgoing.off("close", notifyDisconnect);
    delete this.outgoing[LISTENER];
  }
}

function notifyDisconnect(this: ServerResponse & { [LISTENER]?: AbortListener }): void {
  if (!this.writableFinished) this[LISTENER]?.handleEvent();
}

function sendResponse(
  { response, requestId }: IdentifiedResponse,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  // After the client has closed the connection, writes are discarded without an error.
  if (outgoing.destroyed || !incoming.socket.writable) {
    outgoing.destroy();
    response.onUndelivered?.();
    return;
  }
  const { status, body } = response;
  const headers = [...GUARD_HEADER_LIST];
  for (const name in response.headers) headers.push(name, response.headers[name] ?? "");
  headers.push("x-request-id", requestId);
  if (typeof body === "function") {
    outgoing.writeHead(status, headers);
    outgoing.flushHeaders();
    outgoing.on("error", () => undefined);
    body(createSink(outgoing));
    return;
  }
  if (response.onUndelivered) watchDelivery(incoming.socket, outgoing, response.onUndelivered);
  // Closes the connection if the body was not read completely. Otherwise, its remaining bytes would be parsed as the
  // next request.
  const isBodyLeft = !incoming.complete && hasBody(incoming);
  if (isBodyLeft) headers.push("connection", "close");
  if (status !== 204)
    headers.push("content-length", body === undefined ? "0" : String(Buffer.byteLength(body)));
  outgoing.writeHead(status, headers);
  if (isBodyLeft) endWithLingeringClose(incoming, outgoing, body);
  else outgoing.end(body);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? "0") > 0;
}

export function createSink(outgoing: ServerResponse): ResponseSink {
  return {
    write: (text) => void (outgoing.writableEnded || outgoing.write(text)),
    // A connection with unsent data is destroyed, because a client that does not read would never let it end.
    close: () => void (outgoing.writableLength > 0 ? outgoing.destroy() : outgoing.end()),
    end: () => void outgoing.end(),
    get bufferedBytes() {
      return outgoing.writableLength;
    },
    onClose: (listener) => void (outgoing.closed ? listener() : outgoing.once("close", listener)),
  };
}
