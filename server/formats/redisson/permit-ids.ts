import { createHash } from "node:crypto";
import type { Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { buildHolderCompanionKey } from "../keys.ts";

const ID_BYTES = 16;

/** Computes the id of permit `n` of a hold, counted from 1. Must match permits.lua. */
export function computePermitId(token: string, n: number): Buffer {
  return createHash("sha1").update(`${token}:${n}`).digest().subarray(0, ID_BYTES);
}

/** Computes the ids of all permits of a hold. */
export function computePermitIds(token: string, permits: number): Buffer[] {
  return Array.from({ length: permits }, (_, at) => computePermitId(token, at + 1));
}

/**
 * Builds the companion key for a hold of a semaphore. The key contains the id of the first permit instead of the token,
 * because a semaphore stores only the ids of permits.
 */
export const buildPermitCompanionKey = (key: Key, permitId: Buffer): RedisArgument =>
  buildHolderCompanionKey(key, permitId.toString("hex"));
