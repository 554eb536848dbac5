import type { Dispatcher } from "./dispatch.ts";
import type { ApiRequest, ApiResponse, Sink } from "./http.ts";

/** The door of web-standard servers: Next's route handler comes through here. */
export async function answerWeb(api: Dispatcher, request: Request): Promise<Response> {
  const response = await api.dispatch(requestOf(request));
  if (request.signal.aborted) response.onUndelivered?.();
  return responseOf(response, request.signal);
}

function requestOf(request: Request): ApiRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    header: (name) => request.headers.get(name) ?? undefined,
    // Next tells no peer address but in this header, which it fills in itself.
    remoteAddress: request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim(),
    body: request.body === null ? undefined : readable(request.body),
    signal: request.signal,
  };
}

async function* readable(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

function responseOf({ status, headers, body }: ApiResponse, signal: AbortSignal): Response {
  if (typeof body !== "function")
    return new Response(status === 204 ? null : (body ?? null), { status, headers });
  return new Response(streamOf(body, signal), { status, headers });
}

function streamOf(fill: (sink: Sink) => void, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const listeners = new Set<() => void>();
  let isOpen = true;
  const ended = () => {
    if (!isOpen) return;
    isOpen = false;
    for (const listener of listeners) listener();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const close = () => {
          if (isOpen) controller.close();
          ended();
        };
        // A client that leaves is told by the signal or by cancel, depending on the moment.
        signal.addEventListener("abort", close, { once: true });
        fill({
          write: (text) => void (isOpen && controller.enqueue(encoder.encode(text))),
          close,
          get waiting() {
            return Math.max(0, -(controller.desiredSize ?? 0));
          },
          onClose: (listener) => void (isOpen ? listeners.add(listener) : listener()),
        });
      },
      cancel: ended,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}
