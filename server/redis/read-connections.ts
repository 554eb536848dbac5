import type { Redis } from "ioredis";
import { COMMAND_TIMEOUT_MS, waitUntilReady } from "./connect.ts";
import { isTimeout } from "./failure.ts";

/** How long a read waits for its connection to be reopened, in ms. */
const READY_TIMEOUT_MS = 500;

/**
 * The connections that read the keys of a master. Probes use another connection, so a missing reply delays other reads
 * but never makes the master count as down.
 */
export class ReadConnections {
  /** The connection for batches of keys and for SCAN. It is closed and reopened when a reply times out. */
  readonly shared: Redis;

  /** @param open opens a connection with this name that reconnects automatically */
  constructor(private readonly open: (name: string) => Redis) {
    this.shared = open("reads");
    closeOnTimeout(this.shared);
  }

  /** Returns the shared connection once it can send commands, or after half a second at the latest. */
  async waitUntilReady(): Promise<Redis> {
    if (this.shared.status !== "ready") {
      await waitUntilReady(this.shared, AbortSignal.timeout(READY_TIMEOUT_MS)).catch(() => undefined);
    }
    return this.shared;
  }

  /** Reads over a separate connection that is closed afterwards. @throws if the connection cannot be opened */
  async readApart<Result>(read: (redis: Redis) => Promise<Result>): Promise<Result> {
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

/** Closes the connection immediately, because until then Redis buffers unread replies without limit. */
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

// A graceful end would keep the connection open until the server acknowledges it.
function dropStream(redis: Redis): void {
  redis.stream?.destroy();
}
