import type { Redis } from "ioredis";
import type { Key } from "../../lib/keys/key.ts";
import type { FormatRules } from "../../server/formats/format-rules.ts";
import type { ForceReleaseParams } from "../../server/formats/lock-format.ts";
import type { HeldObservation, Observation, SeenHolder } from "../../server/formats/observation.ts";
import { findLockFormat } from "../../server/formats/registry/lock-formats.ts";
import { readKeys } from "../../server/formats/registry/read-keys.ts";

/** The event channel of database 0. */
export const EVENT_CHANNEL = "lockkeeper:events:0";
/** The owner of a reservation that the operator mei made. */
export const RESERVED_BY_MEI = "lockkeeper:reserve:mei";

export async function observeLock(redis: Redis, key: Key, rules?: FormatRules): Promise<Observation> {
  const [seen] = await readKeys(redis, [key], rules);
  if (seen === undefined) throw new Error("nothing was read");
  return seen;
}

/** Observes a lock. @throws if the lock is not held */
export async function observeHeldLock(redis: Redis, key: Key, rules?: FormatRules): Promise<HeldObservation> {
  const seen = await observeLock(redis, key, rules);
  if (seen.state !== "held") throw new Error(`${key} is ${seen.state}`);
  return seen;
}

/**
 * Force-releases an observed lock as the operator mei.
 * @returns the outcome, or `refused` if the format does not allow force-release
 */
export async function forceReleaseObserved(
  redis: Redis,
  channel: string,
  seen: HeldObservation,
  params: Partial<ForceReleaseParams> = {},
): Promise<string> {
  const whole = { holder: undefined, by: "mei", reason: "node lost", ...params };
  const reply = await findLockFormat(seen.format, seen.type)?.releaser?.forceRelease(
    redis,
    channel,
    seen,
    whole,
  );
  return reply?.outcome ?? "refused";
}

export const getOwners = ({ holders }: { holders: readonly SeenHolder[] }) =>
  holders.map(({ owner }) => owner);

/** Returns the holder with this owner. @throws if the owner holds nothing */
export function getHolder({ holders }: { holders: readonly SeenHolder[] }, owner: string): SeenHolder {
  const holder = holders.find((each) => each.owner === owner);
  if (holder === undefined) throw new Error(`${owner} holds nothing`);
  return holder;
}
