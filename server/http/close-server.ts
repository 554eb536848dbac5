import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";

/**
 * Maximum duration in ms of a quiet turn of the event loop. After such a turn without a new connection, the kernel's
 * queue of connections is almost certainly empty.
 */
const QUIET_TURN_MS = 0.2;
/** Maximum time in ms to wait for a quiet turn. A server under full load has no quiet turns. */
const QUIET_TURN_WAIT_MS = 500;
/**
 * Time in ms before idle connections are closed. During this time, a connection in use gets a response with
 * `Connection: close`.
 */
const IDLE_MS = 150;
const IDLE_POLL_MS = 10;

/**
 * Stops accepting connections. When the listener closes, the kernel resets the connections that it has accepted but
 * Node has not, which a proxy reports as 502. The listener is therefore closed right after a turn of the event loop in
 * which Node has accepted all connections, or after half a second if there is no such turn. Later connections are
 * refused, so that a proxy sends their requests to another instance.
 *
 * Idle connections stay open, because a request may be in transit on them. `Server.close()` of `node:http` would close
 * them.
 */
export async function closeListener(server: Server): Promise<void> {
  await waitForQuietTurn(server);
  NetServer.prototype.close.call(server);
}

/**
 * Closes the connections of a server whose listener is closed. Closes idle connections after a short time, and other
 * connections after their response.
 *
 * @param closed resolves when all connections are closed
 * @param withinMs time in ms after which the remaining connections are destroyed
 */
export async function closeConnections(
  server: Server,
  closed: Promise<unknown>,
  withinMs: number,
): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), withinMs);
  await Promise.race([closed, sleep(IDLE_MS)]);
  // `closeIdleConnections` is called repeatedly, because other connections become idle later. It is called after the
  // poll phase of a turn, in which a connection whose request has arrived stops being idle.
  const idleTimer = setInterval(() => setImmediate(() => server.closeIdleConnections()), IDLE_POLL_MS);
  await closed;
  clearInterval(idleTimer);
  clearTimeout(cutOff);
}

async function waitForQuietTurn(server: Server): Promise<void> {
  let hasAccepted = false;
  const onConnection = () => {
    hasAccepted = true;
  };
  server.on("connection", onConnection);
  const deadline = performance.now() + QUIET_TURN_WAIT_MS;
  for (;;) {
    const startedAt = performance.now();
    hasAccepted = false;
    // Resolves after the poll phase of the event loop, in which Node accepts connections.
    await turn();
    const now = performance.now();
    if ((!hasAccepted && now - startedAt < QUIET_TURN_MS) || now > deadline) break;
  }
  server.off("connection", onConnection);
}
