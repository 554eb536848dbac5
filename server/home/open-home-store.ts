import type { RedisOptions } from "ioredis";
import { StartupError } from "../errors/startup-error.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import { toClusterAddress } from "../redis/cluster/cluster-address.ts";
import { SlotMaster } from "../redis/cluster/slot-master.ts";
import { connect, OPEN_TIMEOUT_MS, parseRedisAddress, waitUntilReady } from "../redis/connect.ts";
import { createSentinelAddress } from "../redis/sentinel/sentinel-address.ts";
import { HomeStore } from "./home-store.ts";

/** Where our own facts are kept: a connection of its own, that follows a failover. Returns at once. */
export function openHomeStore(where: RedisLocation, name = "home", more: RedisOptions = {}): HomeStore {
  if (typeof where === "string") return new HomeStore(connect(parseRedisAddress(where), name, more));
  if ("sentinel" in where) return new HomeStore(connect(createSentinelAddress(where), name, more));
  if ("cluster" in where)
    return new HomeStore(new SlotMaster(toClusterAddress(where), name, HOME_PREFIX, more));
  throw new StartupError("A quorum cannot keep what Lockkeeper knows; give one Redis as its home.");
}

/**
 * Waits for the store for five seconds.
 *
 * @returns `away` when it does not answer
 * @throws StartupError when it answers and does not let us keep our own keys
 */
export async function waitForHomeStore(home: HomeStore, label: string): Promise<"there" | "away"> {
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(OPEN_TIMEOUT_MS));
    await home.ensureRestored();
    return "there";
  } catch (error) {
    if (home.isDisconnected) return "away";
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reasonText = reason instanceof Error ? reason.message : String(reason);
    throw new StartupError(
      `Redis at ${label} does not let us keep our own keys, which begin with ${HOME_PREFIX} (${reasonText}).`,
    );
  }
}
