import type { Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { buildReadLeaseKeys } from "./redisson-keys.ts";

/** Maximum number of leases to read per lock, over all its readers. */
const LEASES_MAX = 256;

export interface ReaderLeases {
  readonly reader: SeenHolder;
  readonly leases: readonly RedisArgument[];
}

/** Builds the lease keys of each reader. Returns an empty list if the lock has too many leases to read. */
export function buildReaderLeases({ key, holders }: HeldObservation): ReaderLeases[] {
  const readers = holders.filter(({ role }) => role === "read");
  const entries = readers.reduce((sum, { count }) => sum + count, 0);
  return entries > LEASES_MAX
    ? []
    : readers.map((reader) => ({ reader, leases: buildLeaseKeys(key, reader) }));
}

const buildLeaseKeys = (key: Key, { token, count }: SeenHolder) => buildReadLeaseKeys(key, token, count);
