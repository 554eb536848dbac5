import type { CaseContext, HostileCase } from "../hostile-case.ts";
import { repeatUntil } from "./repeat.ts";

/** A hash that is not a lock, but is watched: the default patterns match every key name that contains "lock". */
const KEY = "blocklist:users";
const CHANGES_PER_SECOND = 20;

async function plantHash({ redis, sizes, addPlanted }: CaseContext): Promise<void> {
  const value = Buffer.alloc(sizes.hashFieldBytes, "x");
  for (let field = 0; field < sizes.hashFields; field++) await redis.hset(KEY, `field:${field}`, value);
  await addPlanted([KEY]);
}

export const LARGE_HASH: HostileCase = {
  name: "large-hash",
  finding: "F1",
  plant: plantHash,
};

export const CHANGED_LARGE_HASH: HostileCase = {
  name: "large-hash-changed",
  finding: "F1",
  plant: plantHash,
  attack: ({ redis, enough }) =>
    repeatUntil(enough, CHANGES_PER_SECOND, () => redis.hincrby(KEY, "changes", 1)),
};
