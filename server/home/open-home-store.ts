import type { RedisOptions } from "ioredis";
import { StartupError } from "../errors/startup-error.ts";
import { OURS_AT_HOME } from "../formats/keys.ts";
import type { Where } from "../locks/backends/open-backend.ts";
import { clusterAddressOf } from "../redis/cluster/cluster-address.ts";
import { SlotMaster } from "../redis/cluster/slot-master.ts";
import { addressOf, connect, OPEN_MS, whenReady } from "../redis/connect.ts";
import { sentinelAddressOf } from "../redis/sentinel/sentinel-address.ts";
import { Home } from "./home-store.ts";

/** Where our own facts are kept: a connection of its own, that follows a failover. Returns at once. */
export function openHome(where: Where, name = "home", more: RedisOptions = {}): Home {
  if (typeof where === "string") return new Home(connect(addressOf(where), name, more));
  if ("sentinel" in where) return new Home(connect(sentinelAddressOf(where), name, more));
  if ("cluster" in where) return new Home(new SlotMaster(clusterAddressOf(where), name, OURS_AT_HOME, more));
  throw new StartupError("A quorum cannot keep what Lockkeeper knows; give one Redis as its home.");
}

/**
 * Waits for the store for five seconds.
 *
 * @returns `away` when it does not answer
 * @throws StartupError when it answers and does not let us keep our own keys
 */
export async function settleHome(home: Home, label: string): Promise<"there" | "away"> {
  try {
    await whenReady(home.store, AbortSignal.timeout(OPEN_MS));
    await home.settle();
    return "there";
  } catch (error) {
    if (home.isAway) return "away";
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const said = reason instanceof Error ? reason.message : String(reason);
    throw new StartupError(
      `Redis at ${label} does not let us keep our own keys, which begin with ${OURS_AT_HOME} (${said}).`,
    );
  }
}
