import type { IncomingMessage, ServerResponse } from "node:http";
import { markDelivered, watchDelivery } from "./delivery.ts";
import type { Dispatcher } from "./dispatch.ts";
import type { ApiRequest, ApiResponse, Sink } from "./http.ts";

/** The fast door: Node's own request and response, without the web's classes in between. */
export async function answerNode(
  api: Dispatcher,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  markDelivered(incoming.socket);
  send(await api.dispatch(requestOf(incoming, outgoing)), incoming, outgoing);
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): ApiRequest {
  const url = incoming.url ?? "/";
  const mark = url.indexOf("?");
  return {
    method: incoming.method ?? "GET",
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)),
    header: (name) => {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    remoteAddress: incoming.socket.remoteAddress,
    body: incoming,
    get signal() {
      return goneSignal(outgoing);
    },
  };
}

/** Made when it is asked for: most requests are answered without anyone looking at it. */
function goneSignal(outgoing: ServerResponse): AbortSignal {
  if (outgoing.destroyed && !outgoing.writableFinished) return AbortSignal.abort();
  const controller = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}

function send(response: ApiResponse, incoming: IncomingMessage, outgoing: ServerResponse): void {
  // After the client's end of the connection has closed, what is written goes nowhere without an error.
  if (outgoing.destroyed || !incoming.socket.writable) {
    outgoing.destroy();
    response.onUndelivered?.();
    return;
  }
  if (response.onUndelivered) watchDelivery(incoming.socket, outgoing, response.onUndelivered);
  const { body } = response;
  // What is left of a refused body would be read as the next request.
  const isBodyLeft = !incoming.complete && hasBody(incoming);
  const closing = isBodyLeft ? { connection: "close" } : {};
  if (typeof body === "function") {
    outgoing.writeHead(response.status, response.headers);
    outgoing.flushHeaders();
    outgoing.on("error", () => undefined);
    body(sinkOf(outgoing));
    return;
  }
  const length = response.status === 204 ? {} : { "content-length": String(Buffer.byteLength(body ?? "")) };
  outgoing.writeHead(response.status, { ...response.headers, ...length, ...closing });
  outgoing.end(body);
  if (isBodyLeft) incoming.resume();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? "0") > 0;
}

function sinkOf(outgoing: ServerResponse): Sink {
  return {
    write: (text) => void (outgoing.writableEnded || outgoing.write(text)),
    // A reader who takes nothing would never see a polite end.
    close: () => void (outgoing.writableLength > 0 ? outgoing.destroy() : outgoing.end()),
    get waiting() {
      return outgoing.writableLength;
    },
    onClose: (listener) => void (outgoing.closed ? listener() : outgoing.once("close", listener)),
  };
}
