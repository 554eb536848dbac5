import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Detects whether a response reached its client, as far as TCP permits.
 *
 * If a client closes a connection before it has read all data, the client's kernel resets the connection. A read on the
 * server does not report this reset, only the FIN that may precede it. Therefore, if a client closes soon after an
 * important response, the server delays its own FIN and first writes an empty line. If the write fails, the reset has
 * arrived, which means that the client did not read the response.
 */

/** Time in ms after a response. A client that closes the connection within this time may not have read the response. */
const UNREAD_WINDOW_MS = 1000;
/** Time in ms that the server waits for a reset to arrive before it writes the empty line. */
const END_DELAY_MS = 30;

interface SentResponse {
  readonly sentAt: number;
  readonly outgoing: ServerResponse;
  readonly onUndelivered: () => void;
}

const SENT_RESPONSE = Symbol("answer");

/**
 * A socket with its delivery state. The state is not in a weak map, because weak maps slow down every garbage
 * collection.
 */
interface WatchedSocket extends Socket {
  /**
   * The last response whose delivery is unconfirmed. `null` if the socket is watched but has no such response,
   * `undefined` if it is not watched.
   */
  [SENT_RESPONSE]?: SentResponse | null;
}

/**
 * Marks the previous response on a socket as delivered. Call it when the next request arrives, because a client reads a
 * response before it sends another request.
 */
export function markDelivered(socket: WatchedSocket): void {
  if (socket[SENT_RESPONSE]) socket[SENT_RESPONSE] = null;
}

/**
 * Watches the response that is about to be sent. Calls `takeBack`, at most once, if TCP indicates that the client has
 * closed the connection within 1 s without receiving the response.
 */
export function watchDelivery(socket: WatchedSocket, outgoing: ServerResponse, takeBack: () => void): void {
  const isWatched = socket[SENT_RESPONSE] !== undefined;
  socket[SENT_RESPONSE] = { sentAt: performance.now(), outgoing, onUndelivered: takeBack };
  if (isWatched) return;
  socket.once("close", (hadError) => {
    if (hadError || !socket[SENT_RESPONSE]?.outgoing.writableFinished) reportUndelivered(socket);
  });
  delayEnd(socket);
}

function reportUndelivered(socket: WatchedSocket): void {
  const answer = socket[SENT_RESPONSE];
  socket[SENT_RESPONSE] = null;
  if (answer && performance.now() - answer.sentAt < UNREAD_WINDOW_MS) answer.onUndelivered();
}

function delayEnd(socket: WatchedSocket): void {
  const end = socket.end.bind(socket);
  let isHeldBack = false;
  const endLater = () => {
    const answer = socket[SENT_RESPONSE];
    if (!answer || performance.now() - answer.sentAt > UNREAD_WINDOW_MS) end();
    // With `Connection: close`, Node calls `end` again when the client closes. A second empty line would be written
    // after the FIN and always fail.
    else if (!isHeldBack) {
      isHeldBack = true;
      setTimeout(() => {
        socket.write("\r\n", (error) => (error ? reportUndelivered(socket) : end()));
      }, END_DELAY_MS);
    }
    return socket;
  };
  Object.assign(socket, { end: endLater });
}
