import { TooManyStreamsError } from "../../errors/request-errors.ts";
import type { ResponseSink } from "./http-exchange.ts";

export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // no-transform: Next's gzip would hold events back.
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** Formats a server-sent event with one data line, which is enough because JSON contains no raw line breaks. */
export function formatSseEvent(event: string, data: unknown, id?: string): string {
  return formatSseText(event, JSON.stringify(data), id);
}

/** Formats a server-sent event whose data is already JSON. */
export function formatSseText(event: string, json: string, id?: string): string {
  const name = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  return `${name}data: ${json}\n\n`;
}

/** Encodes a server-sent event as bytes, which many readers can share. */
export function encodeSseEvent(event: string, json: string): Uint8Array {
  return Buffer.from(formatSseText(event, json));
}

/** Formats an id without a message, which only advances the reader's Last-Event-ID. */
export function formatSseId(id: string): string {
  return `id: ${id}\n\n`;
}

const CHECK_INTERVAL_MS = 5000;
const BUFFERED_BYTES_MAX = 1024 * 1024;

/** Returns whether a reader is too far behind to be sent more. */
export function isTooFarBehind(sink: ResponseSink): boolean {
  return sink.bufferedBytes > BUFFERED_BYTES_MAX;
}

/** The open streams. Sends keep-alives, closes streams whose access was revoked, and closes all on shutdown. */
export class OpenStreams {
  readonly #callers = new Map<ResponseSink, string>();
  readonly #checks = new Map<ResponseSink, () => Promise<void>>();

  /**
   * @param most maximum number of open streams
   * @param mostEach maximum number per caller
   */
  constructor(
    private readonly most = Number.POSITIVE_INFINITY,
    private readonly mostEach = Number.POSITIVE_INFINITY,
  ) {}

  get size(): number {
    return this.#callers.size;
  }

  /** Asserts that the caller may open another stream. @throws LockkeeperError too_many_streams */
  assertCapacity(caller: string): void {
    if (this.#callers.size >= this.most) {
      throw new TooManyStreamsError(
        `${this.most} streams are open, which is the maximum. Close some, or raise LOCKKEEPER_STREAMS_MAX.`,
        { limit: this.most },
      );
    }
    let own = 0;
    for (const other of this.#callers.values()) if (other === caller) own++;
    if (own < this.mostEach) return;
    throw new TooManyStreamsError(
      `${this.mostEach} of your streams are open, which is the maximum of one caller. Close some, or raise LOCKKEEPER_STREAMS_PER_CALLER_MAX.`,
      { limit: this.mostEach },
    );
  }

  /**
   * Registers an open stream until it is closed.
   *
   * @param mayStill checked every few seconds, so that an ended session also ends its streams
   * @param keepAlive text that is not a message in this stream
   */
  register(
    sink: ResponseSink,
    caller: string,
    mayStill: () => Promise<boolean>,
    keepAlive = ": keep-alive\n\n",
  ): void {
    this.#callers.set(sink, caller);
    const check = async () => {
      if (!(await mayStill())) sink.close();
      else if (keepAlive !== "") sink.write(keepAlive);
    };
    this.#checks.set(sink, check);
    const timer = setInterval(() => void check(), CHECK_INTERVAL_MS);
    timer.unref();
    sink.onClose(() => {
      clearInterval(timer);
      this.#callers.delete(sink);
      this.#checks.delete(sink);
    });
  }

  /** Checks the access of all open streams after permissions change. */
  checkAll(): void {
    for (const check of this.#checks.values()) void check();
  }

  closeAll(): void {
    for (const sink of [...this.#callers.keys()]) sink.close();
  }
}
