import type { ResultListener } from "../../concurrency/for-each-limited.ts";
import type { ResponseSink } from "./http-exchange.ts";
import { waitUntilDrained } from "./wait-until-drained.ts";

export const NDJSON_TYPE = "application/x-ndjson";

export const LINE_STREAM_HEADERS = {
  "content-type": `${NDJSON_TYPE}; charset=utf-8`,
  // no-transform: Next's gzip would hold lines back.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
} as const;

/** Nothing more is begun for a reader that has more than this to take. */
const DRAIN_LIMITS = { bufferedBytesMax: 256 * 1024, stalledMsMax: 15_000 };

/** An answer of lines of JSON that are written as things are done. */
export class LineStream implements ResultListener {
  #isGone = false;

  constructor(private readonly sink: ResponseSink) {
    sink.onClose(() => {
      this.#isGone = true;
    });
  }

  /** As the open streams know it: ended from outside, nothing more is begun, and what has begun is still told. */
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
   * A file, no faster than it is read, and no further than somebody reads. One that ends too early says so in a last
   * line, which is none of the format.
   *
   * @param failed why it ended when the chunks fail
   */
  async writeChunks(chunks: AsyncIterable<string>, failed = "the home store did not answer"): Promise<void> {
    const why = await this.#writeUntilClosed(chunks).catch(() => failed);
    if (why !== undefined) this.sink.write(`This export ended early: ${why}.\n`);
    this.end();
  }

  /** @returns why it ended too early */
  async #writeUntilClosed(chunks: AsyncIterable<string>): Promise<string | undefined> {
    for await (const chunk of chunks) {
      if (this.#isGone) return "the server is stopping, or you may not read it any more";
      if (chunk !== "") this.sink.write(chunk);
      await this.waitUntilReady();
    }
    return undefined;
  }

  async waitUntilReady(): Promise<void> {
    await waitUntilDrained(this.sink, () => this.#isGone, DRAIN_LIMITS);
  }
}
