import type { AuditOutcome } from "../../../lib/contract/audit.ts";
import type { AbortSignalLike } from "../../locks/verbs/verbs.ts";
import type { VerbEnd } from "../../stats/verb-call.ts";

/** A request as every adapter hands it in: nothing of Node's or the web's own classes. */
export interface ApiRequest {
  readonly method: string;
  /** Path as it was sent, still encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** undefined when the request came through an adapter that cannot tell. */
  readonly remoteAddress: string | undefined;
  /** All of the body; undefined when it has more bytes than that. May be asked for once. */
  body(bytesMax: number): Promise<Uint8Array | undefined>;
  /**
   * For a request that is answered late: a signal that ends when the client has gone. What was needed to read the
   * request is let go of: headers and body cannot be asked for any more.
   */
  detach(): AbortSignalLike;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, its compressed bytes, or a stream of server-sent events. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ((sink: ResponseSink) => void);
  /** Of a verb's answer: what figures say of it. */
  readonly verbEnd?: VerbEnd | undefined;
  /** Of a call that is audited: what the audit says of the answer besides. */
  readonly auditOutcome?: Partial<AuditOutcome> | undefined;
  /** Called when the answer could not be handed to an open connection; of a stream, when it has not begun. */
  readonly onUndelivered?: (() => void) | undefined;
}

/** A response, and the name under which the log may have more about it; goes out as `x-request-id`. */
export interface ApiAnswer {
  readonly response: ApiResponse;
  readonly requestId: string;
}

/** A request as its adapter hands it in, with the way back. */
export interface Exchange<Result> extends ApiRequest {
  deliver(answer: ApiAnswer): Result;
}

/** Where a stream of events is written to. */
export interface ResponseSink {
  write(text: string | Uint8Array): void;
  close(): void;
  /** Ends it once all that was written has been read. */
  end(): void;
  /** Bytes that the client has not taken yet. */
  readonly bufferedBytes: number;
  onClose(listener: () => void): void;
}

/** On every answer: no browser takes it for something else, or hands it to the page of another site. */
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
  const all = headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers };
  return {
    status,
    headers: all,
    body: JSON.stringify(value),
    verbEnd: verbEnd,
    auditOutcome: auditOutcome,
    onUndelivered,
  };
}
