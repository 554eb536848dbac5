import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { GUARD_HEADERS } from "../api/http/http-exchange.ts";
import { toProblemResponse } from "../api/http/problem.ts";
import { HeadersTooLargeError, InvalidError, RequestTimeoutError } from "../errors/request-errors.ts";

/** A key of 1 KiB, percent-encoded, and a filter beside it still fit; proxies take lines of 8 KiB by default. */
export const URL_LENGTH_MAX = 8000;

/** How much and how slowly a client may send. None of it bounds how long an answer takes: requests may wait. */
export interface HttpLimits {
  /** Of the address and the headers together, in bytes. */
  readonly maxHeaderSize: number;
  /** From the first byte, or from the beginning of the connection, until the headers are there. */
  readonly headersTimeout: number;
  /** The same, until the body is there. */
  readonly requestTimeout: number;
  /** How often these two are looked at. */
  readonly connectionsCheckingInterval: number;
  /** How long a connection may be idle: longer than proxies keep theirs, lest a request meets a connection that ends. */
  readonly keepAliveTimeout: number;
  /** A connection with a request on it that neither sends nor takes anything for so long is cut: twice the longest wait. */
  readonly inactivityTimeoutMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 75_000,
  inactivityTimeoutMs: 120_000,
};

/** Responds to what never becomes a request, over the bare connection. */
export function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex, basePath: string): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = toProblemResponse(toParserError(error.code), basePath);
  const lines = Object.entries({ ...GUARD_HEADERS, ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const text = String(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    // Whoever sends slowly may read slowly, too.
    () => socket.destroy(),
  );
}

function toParserError(code: string | undefined) {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new HeadersTooLargeError(
      `The URL and the headers together are larger than ${HTTP_LIMITS.maxHeaderSize} bytes. A key has at most 1024.`,
    );
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const { headersTimeout, requestTimeout } = HTTP_LIMITS;
    return new RequestTimeoutError(
      `The headers must arrive within ${headersTimeout / 1000} s and the body within ${requestTimeout / 1000} s. Nothing was done.`,
    );
  }
  return new InvalidError("This is not HTTP.", {});
}
