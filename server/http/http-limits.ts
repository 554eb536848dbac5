import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { GUARD_HEADERS } from "../api/http/http-exchange.ts";
import { toProblemResponse } from "../api/http/problem.ts";
import { HeadersTooLargeError, InvalidError, RequestTimeoutError } from "../errors/request-errors.ts";

/**
 * Maximum length of a URL in characters. Enough for a percent-encoded key of 1 KiB and a filter, and below the default
 * limit of proxies, which is 8 KiB per line.
 */
export const URL_LENGTH_MAX = 8000;

/**
 * Limits on the size and duration of requests. Only `inactivityTimeoutMs` limits the time until a response, because an
 * acquire can wait.
 */
export interface HttpLimits {
  /** Maximum size in bytes of the URL and headers together. */
  readonly maxHeaderSize: number;
  /**
   * Time limit in ms until the headers are complete, counted from the first byte of the request or from the start of
   * the connection.
   */
  readonly headersTimeout: number;
  /** Time limit in ms until the body is complete, counted from the same time as `headersTimeout`. */
  readonly requestTimeout: number;
  /** Interval in ms at which `headersTimeout` and `requestTimeout` are checked. */
  readonly connectionsCheckingInterval: number;
  /**
   * Maximum idle time of a connection, in ms. Longer than the usual idle timeout of a proxy, so that a proxy does not
   * send a request on a connection that is being closed.
   */
  readonly keepAliveTimeout: number;
  /**
   * Time in ms without traffic after which a connection with an open request is destroyed. More than twice the maximum
   * wait of an acquire.
   */
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

/**
 * Responds to a request that is not valid HTTP, is too large or arrives too slowly, and closes the connection. Writes
 * to the raw socket, because there is no response object.
 */
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
    // The socket is destroyed, because a client that sends slowly may also read slowly and keep the connection open.
    () => socket.destroy(),
  );
}

function toParserError(code: string | undefined) {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new HeadersTooLargeError(
      `The URL and the headers together are larger than ${HTTP_LIMITS.maxHeaderSize} bytes. A key is limited to 1024 bytes.`,
    );
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const { headersTimeout, requestTimeout } = HTTP_LIMITS;
    return new RequestTimeoutError(
      `The headers must arrive within ${headersTimeout / 1000} s and the body within ${requestTimeout / 1000} s. Nothing was done.`,
    );
  }
  return new InvalidError("The request is not valid HTTP.", {});
}
