import type { Verified, VerifyInput } from "../../../lib/contract/actions/verb.ts";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { readKey } from "../../formats/registry/read-keys.ts";
import type { Commands } from "../../redis/commands.ts";
import { attempt } from "./attempt.ts";
import { createLostError, createNotALockError } from "./error-factories.ts";
import { requireReadable } from "./require-readable.ts";

/** Whether the owner holds the lock at this moment, by one look. @throws LockkeeperError lost, not_a_lock, unavailable */
export async function verifyHold(redis: Commands, key: Key, ask: VerifyInput): Promise<Verified> {
  const { owner, fence, format } = ask;
  const seen = requireReadable(await attempt(redis, () => readKey(redis, key)));
  if (seen.state === "not_a_lock") {
    // A string that we did not write may be a lock all the same; the owner's it is not.
    const mayBeTheirs = seen.type === "string" && (format === "token" || format === "timestamp");
    throw mayBeTheirs ? createLostError(key, owner, undefined) : createNotALockError(key, seen.type, format);
  }
  if (seen.state === "held" && format !== undefined && seen.format !== format) {
    throw createNotALockError(key, seen.format === "redisson" ? "hash" : "string", format);
  }
  const holders = seen.state === "held" ? seen.holders : [];
  const remainingMs = seen.state === "held" ? seen.remainingMs : null;
  const { asOf } = seen;
  const hold = holders.find((holder) => holder.owner === owner);
  const leftMs = remainingMs === null ? null : remainingMs - (hold?.marginMs ?? 0);
  const isOver = leftMs !== null && leftMs <= 0;
  if (hold === undefined || isOver || (fence !== undefined && hold.fence !== fence)) {
    throw createLostError(key, owner, { holders, remainingMs, asOf });
  }
  return { ...toKeyFields(key), owner, count: hold.count, fence: hold.fence, remainingMs: leftMs, asOf };
}
