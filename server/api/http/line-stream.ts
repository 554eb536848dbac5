import type { ResultListener } from "../../concurrency/for-each-limited.ts";
import type { ResponseSink } from "./http-exchange.ts";
import { waitUntilDrained } from "./wait-until-drained.ts";

export const NDJSON_TYPE = "application/x-ndjson";

export const LINE_STREAM_HEADERS = {
  "content-type": `${NDJSON_TYPE}; charset=utf-8`,
  // `no-transform` disables Next's gzip, which would delay lines.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
} as const;

/**
 * Limits for a client that reads slowly. No new work is started while more than `bufferedBytesMax` bytes are unread.
 */
const DRAIN_LIMITS = { bufferedBytesMax: 256 * 1024, stalledMsMax: 15_000 };

/** A streamed response: JSON lines that are written as items are completed, or a file that is written in chunks. */
export class LineStream implements ResultListener {
  #isGone = false;

  constructor(private readonly sink: ResponseSink) {
    sink.onClose(() => {
      this.#isGone = true;
    });
  }

  /**
   * The sink to register with `OpenStreams`. Closing it prevents new items, but the results of items in progress are
   * still written.
   */
  get guardedSink(): ResponseSink {
    const { sink } = this;
    return {
      write: (text) => sink.write(text),
      close: () => {
        this.#isGone = true;
      },
      end: () => sink.end(),
      get bufferedBytes() {
        return sink.bufferedBytes;
      },
      onClose: (listener) => sink.onClose(listener),
    };
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  write(line: unknown): void {
    this.sink.write(`${JSON.stringify(line)}\n`);
  }

  end(): void {
    this.sink.end();
  }

  /**
   * Writes a file as fast as the client reads it, and stops if the client disconnects. If the file is incomplete, its
   * last line states the reason. That line is deliberately invalid in the format of the file.
   *
   * @param failed the reason to write if `chunks` throws
   */
  async writeChunks(chunks: AsyncIterable<string>, failed = "the home store did not respond"): Promise<void> {
    const why = await this.#writeUntilClosed(chunks).catch(() => failed);
    if (why !== undefined) this.sink.write(`This export ended early: ${why}.\n`);
    this.end();
  }

  /** @returns the reason if the file is incomplete, or `undefined` */
  async #writeUntilClosed(chunks: AsyncIterable<string>): Promise<string | undefined> {
    for await (const chunk of chunks) {
      if (this.#isGone) return "the server is stopping, or your access was revoked";
      if (chunk !== "") this.sink.write(chunk);
      await this.waitUntilReady();
    }
    return undefined;
  }

  async waitUntilReady(): Promise<void> {
    await waitUntilDrained(this.sink, () => this.#isGone, DRAIN_LIMITS);
  }
}
