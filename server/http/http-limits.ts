import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { GUARD_HEADERS } from "../api/http/http-exchange.ts";
import { toProblemResponse } from "../api/http/problem.ts";
import { HeadersTooLargeError, InvalidError, RequestTimeoutError } from "../errors/request-errors.ts";

/**
 * Maximum length of a URL. It allows a percent-encoded key of 1 KiB with a filter. Proxies accept lines of 8 KiB by
 * default.
 */
export const URL_LENGTH_MAX = 8000;

/** Limits on the size and duration of requests. Responses have no time limit, because acquires may wait. */
export interface HttpLimits {
  /** URL and headers together, in bytes. */
  readonly maxHeaderSize: number;
  /**
   * Time limit in milliseconds from the first byte, or the start of the connection, until the headers are complete.
   */
  readonly headersTimeout: number;
  /** Time limit in milliseconds from the same moment until the body is complete. */
  readonly requestTimeout: number;
  /** Interval at which these two limits are checked, in milliseconds. */
  readonly connectionsCheckingInterval: number;
  /**
   * How long a connection may be idle, in milliseconds. Longer than in proxies, so that no request arrives on a
   * closing connection.
   */
  readonly keepAliveTimeout: number;
  /**
   * Time without traffic, in milliseconds, after which a connection with an open request is destroyed. Twice the
   * longest wait.
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

/** Responds on the raw socket to input that is not a valid request. */
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
    // A client that sends slowly may also read slowly.
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
