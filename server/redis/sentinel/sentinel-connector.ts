import { createConnection, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { AbstractConnector, type RedisOptions } from "ioredis";
import type { Endpoint, Sentinels } from "./sentinels.ts";

/** A server that was replaced may be frozen and say no goodbye. */
const GOODBYE_MS = 100;
const ASK_AGAIN_MS_MAX = 500;

/**
 * How connections come to the master of a Sentinel group.
 *
 * Not ioredis's own connector: one that hears of a failover while it is asking for the master ends its connection for
 * good; it asks one sentinel after the other, so that frozen ones hold up every lock; and each connection has its own
 * subscription at each sentinel.
 */
export function createSentinelConnector(
  sentinels: Sentinels,
  tls: ConnectionOptions | undefined,
): NonNullable<RedisOptions["Connector"]> {
  return class extends AbstractConnector {
    readonly #comesBack: boolean;

    constructor(options: unknown) {
      super(GOODBYE_MS);
      this.#comesBack = canReconnect(options);
    }

    /** Another server than the master was reached when a failover is not over, or a sentinel knows too little. */
    override check({ role }: { role?: string }): boolean {
      return role === undefined || role === "master";
    }

    async connect(emit: (type: string, error: Error) => void): Promise<Socket> {
      this.connecting = true;
      const place = await this.#askUntilTold(emit);
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

    /** Does not give up where the connection is to come back: one whose connector throws does not. */
    async #askUntilTold(emit: (type: string, error: Error) => void): Promise<Endpoint> {
      for (let pauseMs = 25; ; pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_MS_MAX)) {
        const place = await sentinels.findMaster().catch((error: Error) => {
          if (!this.#comesBack) throw error;
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
