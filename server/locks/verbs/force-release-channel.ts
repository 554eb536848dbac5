import type { Redis } from "ioredis";
import { buildClientChannel } from "../../formats/keys.ts";
import { parseReleaseRequest } from "../../formats/release-request.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { ForceReleaseListener } from "./backend.ts";

/** Delay before a timed-out subscription is retried, in ms. */
const RETRY_MS = 1000;

/**
 * Subscribes to the force-releases of one client's holds and to the release requests for them. Subscribes again after
 * each reconnect.
 */
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
      // A refusal applies until the connection reopens. Without the subscription, the next renewal detects the loss.
      (error: unknown) => {
        if (!isReplyError(error)) setTimeout(subscribe, RETRY_MS).unref();
      },
    );
  };
  redis.on("messageBuffer", (from: Buffer, message: Buffer) => {
    if (!channel.equals(from)) return;
    dispatchMessage(message.toString(), listener);
  });
  redis.on("ready", subscribe);
  subscribe();
}

/**
 * Parses a message and calls the listener: `fence ⇥ token` for a force-release, or `release_requested ⇥ fence ⇥ token ⇥
 * request`.
 */
function dispatchMessage(message: string, listener: ForceReleaseListener): void {
  const [first = "", second = "", third = "", ...rest] = message.split("\t");
  if (first !== "release_requested") {
    listener.onRelease(second, first);
    return;
  }
  const request = parseReleaseRequest(rest.join("\t"));
  if (request !== undefined) listener.onReleaseRequested?.(third, second, request);
}
