import { setTimeout as sleep } from "node:timers/promises";
import type { HostileCase } from "../hostile-case.ts";

const CHANNEL = "lockkeeper:events:0";
const MESSAGES_PER_BATCH = 50;
const BATCHES_PER_SECOND = 80;

/** Creates a forged message that reports the release of a lock. Each message has a different owner. */
function createReleased(index: number, ownerBytes: number): string {
  const owner = `forger:${index}:`.padEnd(ownerBytes, "*a");
  const fields = ["released", Date.now(), "", index, 0, Date.now() - 1000, owner, ""];
  return `${fields.join("\t")}\nlock:forged:${index}`;
}

export const FORGED_EVENTS: HostileCase = {
  name: "forged-events",
  finding: "F8",
  async attack({ redis, sizes, over }) {
    for (let at = 0; at < sizes.forgedEvents && !over.aborted; at += MESSAGES_PER_BATCH) {
      const batch = Array.from({ length: MESSAGES_PER_BATCH }, (_, index) =>
        redis.publish(CHANNEL, createReleased(at + index, sizes.forgedOwnerBytes)),
      );
      await Promise.all(batch);
      await sleep(1000 / BATCHES_PER_SECOND);
    }
    return [];
  },
};

/**
 * Publishes messages that exceed the output buffer of a subscriber, so that Redis disconnects it. Lockkeeper must then
 * read all locks again.
 */
export const LARGE_MESSAGES: HostileCase = {
  name: "large-messages",
  finding: "F8",
  allowedStates: ["catching_up"],
  async attack({ redis, sizes, over }) {
    const message = Buffer.alloc(sizes.publishedMessageBytes, "x");
    for (let sent = 0; sent < sizes.publishedMessages && !over.aborted; sent++)
      await redis.publish(CHANNEL, message);
    return [];
  },
};
