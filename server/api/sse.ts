import type { Sink } from "./http.ts";

export const SSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // no-transform: Next's gzip would hold events back.
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** One server-sent event. JSON has no raw line breaks, so one data line is enough. */
export function sse(event: string, data: unknown, id?: string): string {
  const name = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

const KEEP_ALIVE_MS = 15_000;
/** A reader who is this far behind is cut off; it comes back with the last id it has. */
const WAITING_BYTES_MAX = 1024 * 1024;

/** Keeps a stream from being taken for dead, and from growing without end. */
export function guard(sink: Sink): void {
  const timer = setInterval(() => {
    if (sink.waiting > WAITING_BYTES_MAX) sink.close();
    else sink.write(": keep-alive\n\n");
  }, KEEP_ALIVE_MS);
  timer.unref();
  sink.onClose(() => clearInterval(timer));
}

export function isTooFarBehind(sink: Sink): boolean {
  return sink.waiting > WAITING_BYTES_MAX;
}
