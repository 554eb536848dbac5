import type { Redis } from "ioredis";
import { COMMAND_TIMEOUT_MS, waitUntilReady } from "./connect.ts";
import { isTimeout } from "./failure.ts";

/** How long a read waits for its connection while that opens again. */
const READY_TIMEOUT_MS = 500;

/**
 * The connections over which keys of a master are read, apart from the one that probes whether Redis responds: a reply
 * that does not arrive holds up other reads, and never makes the master count as down.
 */
export class ReadConnections {
  /** For batches of keys and for SCAN. It is closed, and opens again, when a reply does not arrive in time. */
  readonly shared: Redis;

  /** @param open opens a connection of this name that opens again by itself */
  constructor(private readonly open: (name: string) => Redis) {
    this.shared = open("reads");
    closeOnTimeout(this.shared);
  }

  /** The shared connection, once it can take commands, or after half a second. */
  async waitUntilReady(): Promise<Redis> {
    if (this.shared.status !== "ready") {
      await waitUntilReady(this.shared, AbortSignal.timeout(READY_TIMEOUT_MS)).catch(() => undefined);
    }
    return this.shared;
  }

  /** Reads over a connection that nothing else uses and that is closed afterwards. @throws when it does not open */
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

/** Redis keeps the replies of a connection that does not take them, without a limit, until it is closed. */
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

// Ended in order, it would stand until the other side has taken notice.
function dropStream(redis: Redis): void {
  redis.stream?.destroy();
}
