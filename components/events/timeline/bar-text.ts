import { formatOwner } from "@/components/lock-facts/owner-text.ts";
import { formatClockMs, formatSpan } from "@/components/ui/format-duration.ts";
import type { LockEvent, PastHold } from "@/lib/contract/event.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { type HoldBar, type Overlap, toPastHoldBar } from "./timeline-bars.ts";

/** Maximum number of release requests to describe per hold. If a hold has more, only the latest are described. */
const LISTED_REQUESTS_MAX = 4;

/** The messages that describe a bar. */
export interface BarMessages {
  timeline: Messages["timeline"];
  lock: Messages["lock"];
}

/** Formats an owner as the label of a timeline lane. The result can contain untrusted strings from Redis. */
export function formatLaneName(owner: string, messages: BarMessages): string {
  return owner === "" ? messages.timeline.unknownOwner : formatOwner(owner, messages.lock);
}

/** Describes a bar in complete sentences. The result can contain untrusted strings from Redis. */
export function formatBar(bar: HoldBar, messages: BarMessages): string {
  const { timeline } = messages;
  const sentences = [formatHold(bar, messages)];
  if (bar.fromIs === "at_least") sentences.push(timeline.maybeEarlier);
  if (bar.fence !== undefined) sentences.push(timeline.fence(bar.fence));
  for (const request of bar.requests.slice(-LISTED_REQUESTS_MAX))
    sentences.push(formatRequest(request, timeline));
  if (bar.ended?.reason) sentences.push(timeline.reason(bar.ended.reason));
  return timeline.sentences(sentences);
}

function formatRequest(
  { type, at, by = "", reason = "" }: LockEvent,
  timeline: Messages["timeline"],
): string {
  const time = formatClockMs(at);
  if (type === "release_requested") return timeline.requested(by, time, reason);
  return type === "release_request_accepted"
    ? timeline.accepted(time, reason)
    : timeline.refused(time, reason);
}

/**
 * Describes a past hold, including its end if the end was recorded. The result can contain untrusted strings from
 * Redis.
 */
export function formatPastHold(hold: PastHold, messages: BarMessages): string {
  if (hold.end !== "unobserved" || hold.until !== null) return formatBar(toPastHoldBar(hold), messages);
  return messages.timeline.endUnknown(formatLaneName(hold.owner, messages), formatClockMs(hold.since));
}

function formatHold({ owner, from, to, end, ended }: HoldBar, messages: BarMessages): string {
  const { timeline } = messages;
  const who = formatLaneName(owner, messages);
  const [since, until, span] = [formatClockMs(from), formatClockMs(to), formatSpan(to - from, messages.lock)];
  if (end === "open") return timeline.open(who, since);
  if (end === "unobserved") return timeline.unobserved(who, since, until);
  if (end === "force_released" && ended?.by !== undefined)
    return timeline.forcedBy(who, since, until, span, ended.by);
  return timeline.ends[end](who, since, until, span);
}

export function formatOverlap({ from, to, bars: [one, other], is }: Overlap, messages: BarMessages): string {
  const [first, second] = [formatLaneName(one.owner, messages), formatLaneName(other.owner, messages)];
  const format = is === "wrong" ? messages.timeline.twoHolders : messages.timeline.twoMaybe;
  return format(first, second, formatSpan(to - from, messages.lock), formatClockMs(from));
}
