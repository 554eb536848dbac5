import type { AuditOutcome } from "../../../lib/contract/audit.ts";
import type { AbortSignalLike } from "../../locks/waiting/abort-signal-like.ts";
import type { VerbEnd } from "../../stats/verb-call.ts";

/** A request from either HTTP adapter, independent of the request classes of Node and the web platform. */
export interface ApiRequest {
  readonly method: string;
  /** Path as sent, percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** Address of the client; `undefined` if the adapter does not provide the address. */
  readonly remoteAddress: string | undefined;
  /** Reads the body. Resolves to `undefined` if the body is larger than `bytesMax`. May be called only once. */
  body(bytesMax: number): Promise<Uint8Array | undefined>;
  /**
   * Returns a signal that aborts when the client disconnects. May discard the headers and body to save memory during a
   * wait, so the headers and body must not be read afterwards.
   */
  detach(): AbortSignalLike;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The text or the compressed bytes of the body, or a function that writes a stream to the sink. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ((sink: ResponseSink) => void);
  /** The outcome to record in the statistics. Set only on responses to lock verbs, such as acquire or renew. */
  readonly verbEnd?: VerbEnd | undefined;
  /** Additional fields of the audit outcome, for audited calls. */
  readonly auditOutcome?: Partial<AuditOutcome> | undefined;
  /** Called if the client disconnects before the response is delivered, or before a stream starts. */
  readonly onUndelivered?: (() => void) | undefined;
}

/** A response and its request id, which is sent as `x-request-id` and written to the log. */
export interface IdentifiedResponse {
  readonly response: ApiResponse;
  readonly requestId: string;
}

/** A request and the method that delivers its response. */
export interface Exchange<Result> extends ApiRequest {
  deliver(answer: IdentifiedResponse): Result;
}

/** The destination of a response stream. */
export interface ResponseSink {
  write(text: string | Uint8Array): void;
  close(): void;
  /** Ends the stream after all written data has been sent. */
  end(): void;
  /** Number of written bytes that are still buffered in this process. */
  readonly bufferedBytes: number;
  onClose(listener: () => void): void;
}

/**
 * Headers of every response. They prevent browsers from sniffing the content type and from exposing the response to
 * other sites.
 */
export const GUARD_HEADERS = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
} as const;

export const JSON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
} as const;

export function createJsonResponse(
  status: number,
  value: unknown,
  more: Partial<Pick<ApiResponse, "headers" | "verbEnd" | "auditOutcome" | "onUndelivered">> = {},
): ApiResponse {
  const { headers, verbEnd, auditOutcome, onUndelivered } = more;
  const all = headers === undefined ? JSON_HEADERS : Object.assign({}, JSON_HEADERS, headers);
  return {
    status,
    headers: all,
    body: JSON.stringify(value),
    verbEnd: verbEnd,
    auditOutcome: auditOutcome,
    onUndelivered,
  };
}
