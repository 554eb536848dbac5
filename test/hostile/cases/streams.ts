import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { CaseContext, HostileCase } from "../hostile-case.ts";
import { plantLocks } from "./plant-locks.ts";
import { repeatUntil } from "./repeat.ts";
import { readSnapshot, UNKNOWN_EVENT_ID } from "./snapshot-reader.ts";

const CHANGES_PER_SECOND = 100;
const LEASE_MS = 600_000;
const SNAPSHOT_PREFIX = "lock:snapshot:";
const LONG_NAMES = 250;
const LONG_NAME_BYTES = 900;
/**
 * Number of connections that are opened before each pause, which results in 250 connections per second. The attack is
 * the number of open streams, not the rate of new connections.
 */
const CONNECTIONS_PER_BATCH = 25;
const BATCH_PAUSE_MS = 100;
const CLOSE_PAUSE_MS = 20;

/** Opens a connection, sends a request and reads nothing of the response. */
function openIdleReader({ url, keys }: CaseContext, path: string, headers: readonly string[] = []): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  const lines = [
    `GET /api/v1${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${keys.reader.secret}`,
    ...headers,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return socket;
}

/**
 * Opens many readers that read nothing. One more reader with another API key reads as fast as it can, and must receive
 * every lock and then an event.
 */
export const SNAPSHOT_READERS: HostileCase = {
  name: "idle-snapshot-readers",
  finding: "F6",
  async plant(context) {
    const keys = Array.from(
      { length: context.sizes.snapshotLocks },
      (_, index) => `${SNAPSHOT_PREFIX}${index}`,
    );
    await plantLocks(context, keys);
  },
  async attack(context) {
    const { redis, sizes, over, enough } = context;
    const done = new AbortController();
    const isOver = AbortSignal.any([over, done.signal]);
    const headers = [`Last-Event-ID: ${UNKNOWN_EVENT_ID}`];
    const idle = Array.from({ length: sizes.idleReaders }, () => openIdleReader(context, "/events", headers));
    let changes = 0;
    const changing = repeatUntil(isOver, CHANGES_PER_SECOND, () =>
      redis.set(`lock:changing:${changes++ % 50}`, `owner:${changes}`, "PX", LEASE_MS),
    );
    const fault = await readSnapshot(context, SNAPSHOT_PREFIX, sizes.snapshotLocks);
    while (!enough.aborted && !over.aborted) await sleep(50);
    done.abort();
    await changing;
    for (const socket of idle) socket.destroy();
    return fault === undefined ? [] : [fault];
  },
};

/** Opens many streams that end after their first state. The clients read nothing of it. */
export const POLLING_STREAMS: HostileCase = {
  name: "polling-streams",
  finding: "F15",
  async plant(context) {
    const keys = Array.from({ length: LONG_NAMES }, (_, index) =>
      `lock:${index}:`.padEnd(LONG_NAME_BYTES, "a"),
    );
    await plantLocks(context, keys);
  },
  async attack(context) {
    const { sizes, version, enough, over } = context;
    const sockets: Socket[] = [];
    const answered = new Set<Socket>();
    while (sockets.length < sizes.pollingStreams && !over.aborted) {
      for (let index = 0; index < CONNECTIONS_PER_BATCH; index++) {
        const socket = openIdleReader(context, `/live?${version.pollQuery}&limit=200`);
        socket.once("readable", () => void answered.add(socket));
        socket.once("close", () => void answered.add(socket));
        sockets.push(socket);
      }
      await sleep(BATCH_PAUSE_MS);
    }
    const isAnswered = () => answered.size === sockets.length;
    while (!(enough.aborted && isAnswered()) && !over.aborted) await sleep(50);
    while (sockets.length > 0) {
      for (const socket of sockets.splice(0, CONNECTIONS_PER_BATCH)) socket.destroy();
      await sleep(CLOSE_PAUSE_MS);
    }
    return [];
  },
};
