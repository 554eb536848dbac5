import { TooManyStreamsError } from "../../errors/request-errors.ts";
import type { ResponseSink } from "./http-exchange.ts";

export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // `no-transform` disables Next's gzip, which would delay events.
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** Formats a server-sent event. One data line is enough, because JSON contains no raw line breaks. */
export function formatSseEvent(event: string, data: unknown, id?: string): string {
  return formatSseText(event, JSON.stringify(data), id);
}

/** Formats a server-sent event whose data is already JSON. */
export function formatSseText(event: string, json: string, id?: string): string {
  const name = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  return `${name}data: ${json}\n\n`;
}

/** Encodes a server-sent event as bytes, so that many readers can share one buffer. */
export function encodeSseEvent(event: string, json: string): Uint8Array {
  return Buffer.from(formatSseText(event, json));
}

/** Formats an id without a message. It advances the reader's `Last-Event-ID` but delivers no event. */
export function formatSseId(id: string): string {
  return `id: ${id}\n\n`;
}

const CHECK_INTERVAL_MS = 5000;
const BUFFERED_BYTES_MAX = 1024 * 1024;

/** Returns whether more than 1 MiB is buffered for the reader, in which case no more data should be sent. */
export function isTooFarBehind(sink: ResponseSink): boolean {
  return sink.bufferedBytes > BUFFERED_BYTES_MAX;
}

/**
 * The open streams of this instance. Sends keep-alives, closes streams whose callers have lost access, and closes all
 * streams on shutdown.
 */
export class OpenStreams {
  readonly #callers = new Map<ResponseSink, string>();
  readonly #checks = new Map<ResponseSink, () => Promise<void>>();

  /**
   * @param most maximum number of open streams
   * @param streamsPerCallerMax maximum number of open streams per caller
   */
  constructor(
    private readonly most = Number.POSITIVE_INFINITY,
    private readonly streamsPerCallerMax = Number.POSITIVE_INFINITY,
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
    if (own < this.streamsPerCallerMax) return;
    throw new TooManyStreamsError(
      `${this.streamsPerCallerMax} of your streams are open, which is the maximum of one caller. Close some, or raise LOCKKEEPER_STREAMS_PER_CALLER_MAX.`,
      { limit: this.streamsPerCallerMax },
    );
  }

  /**
   * Registers an open stream until it is closed.
   *
   * @param checkAccess resolves to whether the caller still has access. Called every 5 s and by `checkAll`. The stream
   * is closed if the result is `false`
   * @param keepAlive text that readers of this stream ignore, sent after each successful check; "" to send nothing
   */
  register(
    sink: ResponseSink,
    caller: string,
    checkAccess: () => Promise<boolean>,
    keepAlive = ": keep-alive\n\n",
  ): void {
    this.#callers.set(sink, caller);
    const check = async () => {
      if (!(await checkAccess())) sink.close();
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

  /** Checks immediately whether the callers of all open streams still have access. Call it after permissions change. */
  checkAll(): void {
    for (const check of this.#checks.values()) void check();
  }

  closeAll(): void {
    for (const sink of [...this.#callers.keys()]) sink.close();
  }
}
