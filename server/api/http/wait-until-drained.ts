import type { ResponseSink } from "./http-exchange.ts";

const POLL_MS = 10;
/**
 * The maximum time that a turn of the event loop counts as, in ms. In a longer turn, the client cannot receive
 * anything.
 */
const TURN_MS_MAX = 100;

export interface DrainLimits {
  /** Resolves when at most this many bytes are buffered. */
  readonly bufferedBytesMax: number;
  /** Closes a sink whose client reads no data for this long although this process could send data. */
  readonly stalledMsMax: number;
}

/** Waits until the client has read enough of the buffered output, or `isGone` returns true. */
export async function waitUntilDrained(
  sink: ResponseSink,
  isGone: () => boolean,
  { bufferedBytesMax, stalledMsMax }: DrainLimits,
): Promise<void> {
  let leastBytes = Number.POSITIVE_INFINITY;
  let stalledMs = 0;
  let polledAt = performance.now();
  while (!isGone() && sink.bufferedBytes > bufferedBytesMax) {
    const now = performance.now();
    stalledMs += Math.min(now - polledAt, TURN_MS_MAX);
    polledAt = now;
    if (sink.bufferedBytes < leastBytes) {
      leastBytes = sink.bufferedBytes;
      stalledMs = 0;
    } else if (stalledMs > stalledMsMax) sink.close();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
