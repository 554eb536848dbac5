import { decodeKey } from "../../../lib/keys/key.ts";
import { buildFairQueueKeys } from "../keys.ts";
import { parseMemberScores, parseMembers, QUEUED_MAX, type QueueReader } from "../queue-reader.ts";

/**
 * Reads the queue of a fair lock: a list of its waiters in the order of service, and a sorted set of their timeouts.
 */
export const FAIR_QUEUE: QueueReader = {
  order: "in_turn",
  buildCommands(key) {
    const [queue, ends] = buildFairQueueKeys(key);
    return [
      ["LRANGE", queue, 0, QUEUED_MAX - 1],
      ["ZRANGE", ends, 0, QUEUED_MAX - 1, "WITHSCORES"],
    ];
  },
  parseQueue([queue, ends], asOf) {
    const untilMs = new Map(
      parseMemberScores(ends).map(([owner, end]) => [owner.toString("latin1"), Number(end)]),
    );
    return parseMembers(queue).flatMap((owner) => {
      const end = untilMs.get(owner.toString("latin1")) ?? null;
      // A waiter that timed out is removed when it reaches the head, and is never served.
      return end !== null && end <= asOf ? [] : [{ owner: decodeKey(owner), sinceMs: null, untilMs: end }];
    });
  },
};
