import { keyOfBytes } from "../../../lib/keys/key.ts";
import { membersOf, pairsOf, QUEUED_MAX, type Queue } from "../queue-reader.ts";
import { fairQueueOf } from "./redisson-keys.ts";

/** The queue of a fair lock: a list in the order of service, and when each of it is believed to be dead. */
export const FAIR_QUEUE: Queue = {
  order: "in_turn",
  ask(key) {
    const [queue, ends] = fairQueueOf(key);
    return [
      ["LRANGE", queue, 0, QUEUED_MAX - 1],
      ["ZRANGE", ends, 0, QUEUED_MAX - 1, "WITHSCORES"],
    ];
  },
  take([queue, ends], asOf) {
    const untilMs = new Map(pairsOf(ends).map(([owner, end]) => [owner.toString("latin1"), Number(end)]));
    return membersOf(queue).flatMap((owner) => {
      const end = untilMs.get(owner.toString("latin1")) ?? null;
      // Whoever is given up is taken out when it comes to the head, and served never.
      return end !== null && end <= asOf ? [] : [{ owner: keyOfBytes(owner), sinceMs: null, untilMs: end }];
    });
  },
};
