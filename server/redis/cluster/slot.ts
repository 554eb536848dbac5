import keySlot from "cluster-key-slot";
import type { RedisArgument } from "../commands.ts";

/** Computes the slot of a key in a Redis Cluster. */
export function computeSlot(key: RedisArgument): number {
  return keySlot(typeof key === "number" ? String(key) : key);
}
