import type { Readable } from "node:stream";

/** A request as every door hands it in: nothing of Node's or the web's own classes. */
export interface ApiRequest {
  readonly method: string;
  /** Path as it was sent, still encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** undefined when the request came through a door that cannot tell. */
  readonly remoteAddress: string | undefined;
  readonly body: AsyncIterable<Uint8Array> | Readable | undefined;
  /** Ends when the client has gone. */
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or a stream of server-sent events. */
  readonly body?: string | ((sink: Sink) => void);
  /** Called when the answer could not be handed to an open connection. */
  readonly onUndelivered?: () => void;
}

/** Where a stream of events is written to. */
export interface Sink {
  write(text: string): void;
  close(): void;
  /** Bytes that the client has not taken yet. */
  readonly waiting: number;
  onClose(listener: () => void): void;
}

export const JSON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
} as const;

export function json(status: number, value: unknown, headers: Record<string, string> = {}): ApiResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(value) };
}
