import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";

/**
 * Duration in ms of a turn of the event loop. If a turn was shorter and accepted no connection, the kernel's queue is
 * almost empty.
 */
const QUIET_TURN_MS = 0.2;
/** How long to wait for a quiet turn, in ms. A server under full load has none. */
const QUIET_TURN_WAIT_MS = 500;
/** Time without a request after which a connection is idle, in ms. Connections in use get `Connection: close` first. */
const IDLE_MS = 150;
const IDLE_POLL_MS = 10;

/**
 * Stops accepting connections. If the kernel has accepted a connection but Node has not, the connection is reset when
 * the listener closes. A proxy reports this as 502. The listener therefore closes right after a turn of the event loop
 * in which Node has accepted all connections. Later connections are refused, and a proxy sends their requests to
 * another instance.
 *
 * Unlike `Server.close()` of `node:http`, this function leaves idle connections open: a request may be in transit on
 * them.
 */
export async function closeListener(server: Server): Promise<void> {
  await waitForQuietTurn(server);
  NetServer.prototype.close.call(server);
}

/**
 * Closes the connections of a server whose listener is closed: idle ones soon, the others after their response.
 *
 * @param closed resolves when all connections are closed
 * @param withinMs time in milliseconds after which the remaining connections are destroyed
 */
export async function closeConnections(
  server: Server,
  closed: Promise<unknown>,
  withinMs: number,
): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), withinMs);
  await Promise.race([closed, sleep(IDLE_MS)]);
  // Node closes idle connections only once, and others become idle in the next turn. After the poll phase of a turn,
  // a connection whose request has arrived is no longer idle.
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
    // Resolves after the poll phase, in which Node accepts connections.
    await turn();
    const now = performance.now();
    if ((!hasAccepted && now - startedAt < QUIET_TURN_MS) || now > deadline) break;
  }
  server.off("connection", onConnection);
}
