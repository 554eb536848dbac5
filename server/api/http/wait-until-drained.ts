import type { ResponseSink } from "./http-exchange.ts";

const POLL_MS = 10;

export interface DrainLimits {
  /** Resolves when at most this many bytes are buffered. */
  readonly bufferedBytesMax: number;
  /** Closes a sink whose client takes no data for this long. */
  readonly stalledMsMax: number;
}

/** Waits until the client has taken enough of what was written, or `isGone` returns true. */
export async function waitUntilDrained(
  sink: ResponseSink,
  isGone: () => boolean,
  { bufferedBytesMax, stalledMsMax }: DrainLimits,
): Promise<void> {
  let leastBytes = Number.POSITIVE_INFINITY;
  let progressAt = performance.now();
  while (!isGone() && sink.bufferedBytes > bufferedBytesMax) {
    const now = performance.now();
    if (sink.bufferedBytes < leastBytes) {
      leastBytes = sink.bufferedBytes;
      progressAt = now;
    } else if (now - progressAt > stalledMsMax) sink.close();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
