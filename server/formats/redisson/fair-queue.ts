import { decodeKey } from "../../../lib/keys/key.ts";
import { buildFairKeys } from "../keys.ts";
import {
  parseMemberScores,
  parseMembers,
  QUEUED_MAX,
  type QueuedClient,
  type QueueReader,
} from "../queue-reader.ts";

/** Reads the queue of a fair lock: the list of its waiters in order, and the sorted set of their timeouts. */
export const FAIR_QUEUE: QueueReader = {
  order: "in_turn",
  buildCommands(key) {
    const [queue = "", ends = "", heartbeats = ""] = buildFairKeys(key);
    return [
      ["LRANGE", queue, 0, QUEUED_MAX - 1],
      ["ZRANGE", ends, 0, QUEUED_MAX - 1, "WITHSCORES"],
      ["ZRANGE", heartbeats, 0, QUEUED_MAX - 1, "WITHSCORES"],
    ];
  },
  parseQueue([queue, ends, heartbeats], asOf) {
    const [untilMs, aliveUntilMs] = [toScores(ends), toScores(heartbeats)];
    return parseMembers(queue).flatMap((owner) => {
      const name = owner.toString("latin1");
      const end = untilMs.get(name) ?? null;
      const heartbeat = aliveUntilMs.get(name);
      // A waiter that has timed out, or whose client is gone, is removed when it reaches the head of the queue.
      if (heartbeat !== undefined) return Math.abs(heartbeat) <= asOf ? [] : [toClient(owner, end)];
      return end !== null && end <= asOf ? [] : [toClient(owner, end)];
    });
  },
};

const toScores = (answer: unknown) =>
  new Map(parseMemberScores(answer).map(([owner, score]) => [owner.toString("latin1"), Number(score)]));

const toClient = (owner: Buffer, untilMs: number | null): QueuedClient => ({
  owner: decodeKey(owner),
  sinceMs: null,
  untilMs,
});
