import type { RedisOptions } from "ioredis";
import { StartupError } from "../errors/startup-error.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import { toClusterAddress } from "../redis/cluster/cluster-address.ts";
import { SlotMaster } from "../redis/cluster/slot-master.ts";
import { connect, OPEN_TIMEOUT_MS, parseRedisAddress, waitUntilReady } from "../redis/connect.ts";
import { createSentinelAddress } from "../redis/sentinel/sentinel-address.ts";
import { HomeStore } from "./home-store.ts";

/** Matches the error codes of a server that serves reads but refuses every write. */
const REFUSES_WRITES = /^(?:NOREPLICAS|MISCONF|OOM|READONLY)\b/;

/**
 * Opens the home store on a separate connection, which follows failovers. Returns before the connection is ready.
 *
 * @throws StartupError if a URL is invalid or the location is a quorum
 */
export function openHomeStore(where: RedisLocation, name = "home", more: RedisOptions = {}): HomeStore {
  if (typeof where === "string") return new HomeStore(connect(parseRedisAddress(where), name, more));
  if ("sentinel" in where) return new HomeStore(connect(createSentinelAddress(where), name, more));
  if ("cluster" in where)
    return new HomeStore(new SlotMaster(toClusterAddress(where), name, HOME_PREFIX, more));
  throw new StartupError(
    "A quorum cannot be the home store. Configure a single Redis, a Sentinel group or a Cluster as `home`.",
  );
}

/**
 * Waits up to five seconds for the store.
 *
 * @returns `disconnected` if the store does not respond
 * @throws StartupError if the store responds but refuses writes or denies access to Lockkeeper's own keys
 */
export async function waitForHomeStore(
  home: HomeStore,
  label: string,
): Promise<"connected" | "disconnected"> {
  try {
    await waitUntilReady(home.store, AbortSignal.timeout(OPEN_TIMEOUT_MS));
    await home.ensureRestored();
    return "connected";
  } catch (error) {
    if (home.isDisconnected) return "disconnected";
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reasonText = reason instanceof Error ? reason.message : String(reason);
    throw new StartupError(
      REFUSES_WRITES.test(reasonText)
        ? `Redis at ${label} refuses writes (${reasonText}). Lockkeeper stores accounts and the audit log there. Start it again once Redis accepts writes.`
        : `Redis at ${label} does not let Lockkeeper use its own keys, which start with ${HOME_PREFIX} (${reasonText}). Check the permissions of the Redis user, and that no other data is stored under these keys.`,
    );
  }
}
