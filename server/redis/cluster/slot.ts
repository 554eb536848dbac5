import keySlot from "cluster-key-slot";
import type { RedisArgument } from "../commands.ts";

/** Computes the Redis Cluster slot of a key, from 0 to 16383. */
export function computeSlot(key: RedisArgument): number {
  return keySlot(typeof key === "number" ? String(key) : key);
}
