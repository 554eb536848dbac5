import type { ResponseSink } from "./http-exchange.ts";

const POLL_MS = 10;
/**
 * Maximum stall time in ms that is counted per poll. If a poll is delayed by a longer turn of the event loop, this
 * process could not send data during that turn.
 */
const TURN_MS_MAX = 100;

export interface DrainLimits {
  /** Number of buffered bytes at or below which the wait ends. */
  readonly bufferedBytesMax: number;
  /**
   * Time in ms after which the sink of a client that reads no data is closed. Time in which this process was too busy
   * to send data does not count.
   */
  readonly stalledMsMax: number;
}

/**
 * Waits until the client has read enough of the buffered output, or until `isGone` returns true. Closes the sink of a
 * client that stops reading.
 */
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
