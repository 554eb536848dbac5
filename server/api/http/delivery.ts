import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Detects whether a response reached its client, as far as TCP permits.
 *
 * If a client closes with unread data, its kernel resets the connection. Reading does not report the reset, only the
 * FIN that came before it. If a client closes soon after an important response, the server therefore delays its own
 * FIN and first writes an empty line. If the write fails, the reset has arrived, and the response was not read.
 */

/** Time after a response, in ms, within which a client that closes the connection may not have read it. */
const UNREAD_WINDOW_MS = 1000;
/** Time for the reset to arrive, in ms. */
const END_DELAY_MS = 30;

interface SentResponse {
  readonly sentAt: number;
  readonly outgoing: ServerResponse;
  readonly onUndelivered: () => void;
}

const SENT_RESPONSE = Symbol("answer");

/** The state is stored on the socket, because weak maps slow down every garbage collection. */
interface WatchedSocket extends Socket {
  /** `null` if the socket is watched but no response is awaiting delivery. */
  [SENT_RESPONSE]?: SentResponse | null;
}

/**
 * Marks the response as delivered: a client that sends the next request on a connection has read the previous
 * response.
 */
export function markDelivered(socket: WatchedSocket): void {
  if (socket[SENT_RESPONSE]) socket[SENT_RESPONSE] = null;
}

/** Calls `takeBack` at most once, if the response that is about to be sent does not reach its client. */
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
    // With `Connection: close`, both sides close: a second write after the FIN would always fail.
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
