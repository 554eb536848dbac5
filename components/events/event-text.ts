import { holdOffOf, holdOffText, shortOwner } from "@/components/lock/lock-facts.ts";
import { formatElapsed, formatFence } from "@/components/ui/duration.ts";
import type { EventType, LockEvent } from "@/lib/contract/event.ts";

export const EVENT_NAMES: Record<EventType, string> = {
  acquired: "acquired",
  reentered: "reentered",
  renewed: "renewed",
  released: "released",
  expired: "expired",
  evicted: "evicted",
  force_released: "force released",
  waiting: "waiting",
  wait_ended: "wait ended",
  seen: "seen",
  recreated: "recreated",
};

export const ALL_TYPES = Object.keys(EVENT_NAMES) as EventType[];

/** Never part of a normal day. */
export function isAlarming(type: EventType): boolean {
  return type === "force_released" || type === "evicted" || type === "recreated";
}

/** One line about what happened, without the key. May hold text from Redis. `brief`: for a narrow column. */
export function eventDetail(event: LockEvent, brief = false): string {
  const holdOff = holdOffOf(event.owner ?? "");
  const who = holdOff === null ? shortOwner(event.owner ?? "") : holdOffText(holdOff);
  const after = event.heldMs === undefined ? "" : ` after ${formatElapsed(event.heldMs)}`;
  switch (event.type) {
    case "acquired":
      return join(who, event.fence === undefined || brief ? "" : `fence ${formatFence(event.fence)}`);
    case "waiting":
    case "wait_ended":
      return who;
    case "renewed":
      if (event.by !== undefined)
        return join(`by ${event.by}`, event.reason ? `“${event.reason}”` : "", `more time for ${who}`);
      return join(who, event.count === undefined || event.count === 1 ? "" : `count ${event.count}`);
    case "reentered":
    case "seen":
      return join(who, event.count === undefined || event.count === 1 ? "" : `count ${event.count}`);
    case "released":
      // A release that leaves a count behind is one frame of many.
      return join(`${who}${after}`, event.count ? `count ${event.count} left` : "");
    case "expired":
      // A hold-off is over by expiring; of anything else that is a holder who did not come back.
      return join(`${who}${after}`, holdOff === null ? "not released" : "");
    case "recreated":
      return join(who, "made again after it was freed");
    case "evicted":
      return join(`${who}${after}`, "Redis threw it out to save memory");
    case "force_released":
      return join(
        event.by === undefined ? "" : `by ${event.by}`,
        event.reason ? `“${event.reason}”` : "",
        who === "" ? "" : `from ${who}${after}`,
      );
  }
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}

/** How a hold ended, for a sentence. */
export function endingText(event: LockEvent): string {
  switch (event.type) {
    case "released":
      // Seen from outside, a release by the owner and a DEL by anybody look the same.
      return event.observed === "exact" ? "its owner released it" : "it was released";
    case "expired":
      return "it expired";
    case "evicted":
      return "Redis evicted it";
    case "force_released":
      return event.by === undefined ? "it was freed by an operator" : `${event.by} freed it`;
    default:
      return "it ended";
  }
}
