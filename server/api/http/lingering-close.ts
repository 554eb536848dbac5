import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Maximum time in ms for which the rest of a request is discarded. */
const LINGER_MS_MAX = 10_000;
/** Maximum size in bytes of the discarded data. */
const LINGER_BYTES_MAX = 8 * 1024 * 1024;

/** Connections that will be closed once the rest of a request has been discarded. */
const lingering = new WeakSet<Socket>();

/** Returns whether the connection is being closed, so that a request that arrives on it must not be handled. */
export function isLingering(socket: Socket): boolean {
  return lingering.has(socket);
}

/**
 * Sends a response while its request is still arriving. Discards the rest of the request for at most 10 s and 8 MiB,
 * and then closes the connection. Call it after `writeHead` with `connection: close` and a `content-length`.
 *
 * If a connection is closed while data arrives, the kernel resets it, and the client can lose the response. A proxy
 * reports the reset as 502.
 */
export function endWithLingeringClose(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: string | Uint8Array | undefined,
): void {
  const { socket } = incoming;
  // The client has pipelined requests, and an earlier response is still to be sent on the connection.
  if (outgoing.socket !== socket) {
    outgoing.end(body);
    incoming.resume();
    return;
  }
  lingering.add(socket);
  outgoing.flushHeaders();
  if (body !== undefined) outgoing.write(body);
  // Closes only the direction of the response. `outgoing.end()` closes both.
  socket.end();
  const close = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(close, LINGER_MS_MAX).unref();
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES_MAX) close();
  });
  for (const event of ["end", "close"]) incoming.once(event, close);
  incoming.resume();
}
