import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Tells whether an answer reached its client, as far as TCP can.
 *
 * A client that closes with our answer unread makes its system reset the connection; one that has read it just
 * closes. The reset is not to be seen by reading: the end that came before it wins. So when a client closes soon
 * after an answer that matters, our own end is held back for a moment and an empty line is written first. If that
 * fails, the reset has arrived, and the answer was not read.
 */

/** A client that closes this long after an answer has read it. */
const UNREAD_WINDOW_MS = 1000;
/** Time for the reset to arrive. */
const END_DELAY_MS = 30;

interface SentResponse {
  readonly sentAt: number;
  readonly outgoing: ServerResponse;
  readonly onUndelivered: () => void;
}

const SENT_RESPONSE = Symbol("answer");

/** On the socket itself: maps that hold nothing alive cost every collection of garbage. */
interface WatchedSocket extends Socket {
  /** null: watched, and nothing to take back. */
  [SENT_RESPONSE]?: SentResponse | null;
}

/** Whoever sends the next request on a connection has had the answer to the one before. */
export function markDelivered(socket: WatchedSocket): void {
  if (socket[SENT_RESPONSE]) socket[SENT_RESPONSE] = null;
}

/** Calls `takeBack` at most once, should the answer that is about to be sent not reach its client. */
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
    // Both ends close a connection that was asked to be closed: a second line, after the end, would fail by itself.
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
