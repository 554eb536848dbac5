import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { formatOwner, type OwnerMessages } from "@/components/lock-facts/owner-text.ts";
import { formatFence, formatSpan, type UnitMessages } from "@/components/ui/format-duration.ts";
import type { EventType, LockEvent } from "@/lib/contract/event.ts";
import { events as english } from "@/lib/i18n/en/events.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

export const ALL_EVENT_TYPES = Object.keys(english.names) as EventType[];

/** The messages that describe an event. */
export interface EventMessages {
  events: Messages["events"];
  lock: OwnerMessages & UnitMessages;
}

/**
 * Describes an event in one line, without the key. The result can contain untrusted strings from Redis.
 *
 * @param brief whether to omit the fencing token and the hold time, because the column is narrow
 */
export function formatEventDetail(
  event: LockEvent,
  { events: messages, lock }: EventMessages,
  brief = false,
): string {
  const reservation = parseReservedHold(event.owner ?? "");
  const who = formatOwner(event.owner ?? "", lock);
  const ended =
    event.heldMs === undefined || brief ? who : messages.after(who, formatSpan(event.heldMs, lock));
  const join = (...parts: string[]) => parts.filter((part) => part !== "").join(messages.between);
  const count = event.count === undefined || event.count === 1 ? "" : messages.count(event.count);
  const reason = event.reason ? messages.quoted(event.reason) : "";
  switch (event.type) {
    case "acquired":
      return join(who, event.fence === undefined || brief ? "" : messages.fence(formatFence(event.fence)));
    case "waiting":
    case "wait_ended":
      return who;
    case "renewed":
      if (event.by !== undefined) return join(messages.by(event.by), reason, messages.extendedFor(who));
      return join(who, count);
    case "reentered":
    case "seen":
      return join(who, count);
    case "released":
      // A release with a remaining count ends one re-entry. The hold continues.
      return join(ended, event.count ? messages.countLeft(event.count) : "");
    case "expired":
      // Reservations normally end by expiry. Any other lock expires because its holder did not release it.
      return join(ended, reservation === null ? messages.notReleased : "");
    case "recreated":
      return join(who, messages.recreated);
    case "evicted":
      return join(ended, messages.evictedForMemory);
    case "release_requested":
      return join(
        event.by === undefined ? "" : messages.by(event.by),
        reason,
        who === "" ? "" : messages.to(who),
      );
    case "release_request_accepted":
    case "release_request_refused":
      return join(who, event.reason ? messages.answer(event.reason) : "");
    case "force_released":
      return join(
        event.by === undefined ? "" : messages.by(event.by),
        reason,
        who === "" ? "" : messages.from(ended),
      );
  }
}

/** Describes how a hold ended, as a phrase within a sentence. */
export function formatHoldEnding(event: LockEvent, { endings }: Messages["events"]): string {
  switch (event.type) {
    case "released":
      // An inferred event cannot distinguish a release by the owner from a `DEL` by another client.
      return event.observed === "exact" ? endings.byOwner : endings.released;
    case "expired":
      return endings.expired;
    case "evicted":
      return endings.evicted;
    case "force_released":
      return event.by === undefined ? endings.byOperator : endings.releasedBy(event.by);
    default:
      return endings.ended;
  }
}
