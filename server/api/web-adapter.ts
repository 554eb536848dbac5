import { InvalidError } from "../errors/request-errors.ts";
import type { Dispatcher } from "./dispatcher.ts";
import {
  type Exchange,
  GUARD_HEADERS,
  type IdentifiedResponse,
  type ResponseSink,
} from "./http/http-exchange.ts";

/** Handles a Fetch API `Request`, such as one that a Next.js route handler receives. */
export function handleWebRequest(api: Dispatcher, request: Request, basePath: string): Promise<Response> {
  return api.dispatch(createWebExchange(request, basePath));
}

function createWebExchange(request: Request, basePath: string): Exchange<Response> {
  const url = new URL(request.url);
  const { pathname } = url;
  return {
    method: request.method,
    path: pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname,
    query: url.searchParams,
    // Next removes the `Content-Encoding` header from responses of route handlers. Hiding `accept-encoding` prevents
    // compressed responses.
    header: (name) => (name === "accept-encoding" ? undefined : (request.headers.get(name) ?? undefined)),
    // Next does not expose the peer address. `http-server.ts` sets this header.
    remoteAddress: request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim(),
    body: (bytesMax) => readBody(request, bytesMax),
    detach: () => request.signal,
    deliver: (answer) => {
      if (request.signal.aborted) answer.response.onUndelivered?.();
      return toWebResponse(answer, request.signal);
    },
  };
}

async function readBody({ body }: Request, bytesMax: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      bytes += part.value.length;
      if (bytes > bytesMax) return undefined;
      chunks.push(part.value);
    }
    return Buffer.concat(chunks);
  } catch {
    throw new InvalidError("The connection ended before the body did.", {});
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

function toWebResponse({ response, requestId }: IdentifiedResponse, signal: AbortSignal): Response {
  const { status, body } = response;
  const headers = { ...GUARD_HEADERS, ...response.headers, "x-request-id": requestId };
  if (typeof body === "function") {
    return new Response(signal.aborted ? null : createStream(body, signal), { status, headers });
  }
  return new Response(status === 204 ? null : (body ?? null), { status, headers });
}

function createStream(fill: (sink: ResponseSink) => void, signal: AbortSignal): ReadableStream<Uint8Array> {
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
        // Depending on the timing, a disconnect is reported by the signal or by `cancel`.
        signal.addEventListener("abort", close, { once: true });
        fill({
          write: (text) => {
            if (isOpen) controller.enqueue(typeof text === "string" ? encoder.encode(text) : text);
          },
          close,
          end: close,
          get bufferedBytes() {
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
