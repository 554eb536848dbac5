import type { Redis } from "ioredis";
import { buildClientChannel } from "../../formats/keys.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { ForceReleaseListener } from "./backend.ts";

/** A subscription that timed out is made again after this. */
const RETRY_MS = 1000;

/** Subscribes to the force-releases of one client, again after each reconnect. */
export function subscribeToForceReleases(
  redis: Redis,
  clientId: string,
  listener: ForceReleaseListener,
): void {
  const channel = Buffer.from(buildClientChannel(clientId));
  const subscribe = () => {
    if (redis.status !== "ready") return;
    redis.subscribe(channel).then(
      () => listener.onGap(),
      // A refusal lasts until the connection is opened again; without the subscription, the next renewal finds the loss.
      (error: unknown) => {
        if (!isReplyError(error)) setTimeout(subscribe, RETRY_MS).unref();
      },
    );
  };
  redis.on("messageBuffer", (from: Buffer, message: Buffer) => {
    if (!channel.equals(from)) return;
    const [fence = "", token = ""] = message.toString().split("\t");
    listener.onRelease(token, fence);
  });
  redis.on("ready", subscribe);
  subscribe();
}
