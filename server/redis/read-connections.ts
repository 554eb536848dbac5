import type { Redis } from "ioredis";
import { COMMAND_TIMEOUT_MS, waitUntilReady } from "./connect.ts";
import { isTimeout } from "./failure.ts";

/** Time limit for reopening the connection of a read, in ms. */
const READY_TIMEOUT_MS = 500;

/**
 * The connections that read the keys of a master. Probes use another connection. A missing reply therefore delays other
 * reads but does not make the master count as down.
 */
export class ReadConnections {
  /**
   * The connection for SCAN and for reading batches of keys. After a timeout, the connection is closed and reopened.
   */
  readonly shared: Redis;

  /** @param open opens a connection with this name; the connection must reconnect automatically */
  constructor(private readonly open: (name: string) => Redis) {
    this.shared = open("reads");
    closeOnTimeout(this.shared);
  }

  /** Returns the shared connection once it can send commands, but after at most 500 ms. */
  async waitUntilReady(): Promise<Redis> {
    if (this.shared.status !== "ready") {
      await waitUntilReady(this.shared, AbortSignal.timeout(READY_TIMEOUT_MS)).catch(() => undefined);
    }
    return this.shared;
  }

  /** Reads over a separate connection and closes it afterwards. @throws if the connection cannot be opened */
  async readSeparately<Result>(read: (redis: Redis) => Promise<Result>): Promise<Result> {
    const redis = this.open("reads-apart");
    try {
      await waitUntilReady(redis, AbortSignal.timeout(COMMAND_TIMEOUT_MS));
      return await read(redis);
    } finally {
      redis.disconnect();
      dropStream(redis);
    }
  }

  close(): void {
    this.shared.disconnect();
  }
}

/**
 * Closes the connection when a reply times out, because Redis buffers unread replies of an open connection without
 * limit.
 */
function closeOnTimeout(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    const reply = send(command, stream);
    Promise.resolve(command.promise).catch((error) => {
      if (isTimeout(error)) dropStream(redis);
    });
    return reply;
  };
}

// Destroys the socket. A graceful end would keep the connection open until the server acknowledges the end.
function dropStream(redis: Redis): void {
  redis.stream?.destroy();
}
