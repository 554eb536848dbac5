import type { WritableFormat } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { ForceReleaseRequest } from "../../server/formats/lock-requests.ts";
import { createForeignHolder } from "../../server/formats/observation.ts";
import type { ForceReleaseReply } from "../../server/formats/script-replies.ts";
import type { RedisLocks } from "../../server/locks/verbs/redis-locks.ts";

/** Force-releases one hold as an operator who saw the hold with the given token and fence. */
export async function forceReleaseByOwner(
  locks: RedisLocks,
  key: Key,
  format: WritableFormat,
  { token, fence, by, reason, reservation }: ForceReleaseRequest,
): Promise<ForceReleaseReply> {
  const seen = {
    ...({
      state: "held",
      key,
      asOf: 0,
      format,
      candidates: [],
      kind: "lock",
      confidence: "certain",
    } as const),
    ...({ type: format === "redisson" ? "hash" : "string", remainingMs: null } as const),
    holders: [createForeignHolder(token, { fence })] as const,
  };
  return await locks.forceRelease(seen, { holder: undefined, by, reason, reservation });
}
