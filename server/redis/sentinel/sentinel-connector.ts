import { createConnection, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { AbstractConnector, type RedisOptions } from "ioredis";
import type { Endpoint, Sentinels } from "./sentinels.ts";

/** Time limit, in ms, for a server to close the connection. A replaced server may be frozen and never close it. */
const CLOSE_TIMEOUT_MS = 100;
const ASK_AGAIN_MS_MAX = 500;

/**
 * Creates a connector class that connects to the current master of a Sentinel group.
 *
 * Does not use the connector of ioredis, for three reasons. If a failover happens during a query, the connector of
 * ioredis closes the connection permanently. It queries the sentinels one after another, so that frozen sentinels delay
 * every lock. It also opens a separate subscription to each sentinel for each connection.
 */
export function createSentinelConnector(
  sentinels: Sentinels,
  tls: ConnectionOptions | undefined,
): NonNullable<RedisOptions["Connector"]> {
  return class extends AbstractConnector {
    readonly #shouldReconnect: boolean;

    constructor(options: unknown) {
      super(CLOSE_TIMEOUT_MS);
      this.#shouldReconnect = canReconnect(options);
    }

    /**
     * Whether the server is a master. During a failover, or if a sentinel has outdated data, the server can be a
     * replica.
     */
    override check({ role }: { role?: string }): boolean {
      return role === undefined || role === "master";
    }

    async connect(emit: (type: string, error: Error) => void): Promise<Socket> {
      this.connecting = true;
      const place = await this.#queryUntilFound(emit);
      const stream = tls === undefined ? createConnection({ ...place }) : connectTls({ ...tls, ...place });
      this.stream = stream;
      stream.once("error", (error) => {
        this.firstError = error;
      });
      const leave = sentinels.onSwitch((to) => {
        if (isOtherEndpoint(to, place)) stream.destroy();
      });
      stream.once("close", leave);
      return stream;
    }

    /**
     * Queries the sentinels until one names the master. Does not throw while the connection should reconnect, because
     * ioredis stops reconnecting after an error of the connector.
     */
    async #queryUntilFound(emit: (type: string, error: Error) => void): Promise<Endpoint> {
      for (let pauseMs = 25; ; pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_MS_MAX)) {
        const place = await sentinels.findMaster().catch((error: Error) => {
          if (!this.#shouldReconnect) throw error;
          emit("error", error);
          return undefined;
        });
        if (!this.connecting) throw new Error("Connection is closed.");
        if (place !== undefined) return place;
        await sleep(pauseMs);
      }
    }
  };
}

function canReconnect(options: unknown): boolean {
  return (
    typeof options === "object" &&
    options !== null &&
    "retryStrategy" in options &&
    options.retryStrategy !== null
  );
}

function isOtherEndpoint(to: Endpoint, place: Endpoint): boolean {
  return to.host !== place.host || to.port !== place.port;
}
