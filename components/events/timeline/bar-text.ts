import { formatReservedHold, parseReservedHold, shortenOwner } from "@/components/lock-facts/lock-texts.ts";
import { formatClockMs, formatSpan } from "@/components/ui/format-duration.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import type { HoldBar, Overlap } from "./timeline-bars.ts";

/** What a bar is told in. */
export interface BarMessages {
  timeline: Messages["timeline"];
  lock: Messages["lock"];
}

/** Who held it, for a label. May hold text from Redis. */
export function formatLaneName(owner: string, words: BarMessages): string {
  const holdOff = parseReservedHold(owner);
  if (holdOff !== null) return formatReservedHold(holdOff, words.lock);
  return owner === "" ? words.timeline.notTold : shortenOwner(owner);
}

/** All that a bar says, in sentences. May hold text from Redis. */
export function formatBar(bar: HoldBar, words: BarMessages): string {
  const { timeline } = words;
  const sentences = [formatHold(bar, words)];
  if (bar.fromIs === "at_least") sentences.push(timeline.maybeEarlier);
  if (bar.fence !== undefined) sentences.push(timeline.fence(bar.fence));
  if (bar.ended?.reason) sentences.push(timeline.reason(bar.ended.reason));
  return timeline.sentences(sentences);
}

function formatHold({ owner, from, to, end, ended }: HoldBar, words: BarMessages): string {
  const { timeline } = words;
  const who = formatLaneName(owner, words);
  const [since, until, span] = [formatClockMs(from), formatClockMs(to), formatSpan(to - from)];
  if (end === "open") return timeline.open(who, since);
  if (end === "unseen") return timeline.unseen(who, since, until);
  if (end === "force_released" && ended?.by !== undefined)
    return timeline.forcedBy(who, since, until, span, ended.by);
  return timeline.ends[end](who, since, until, span);
}

export function formatOverlap({ from, to, bars: [one, other], is }: Overlap, words: BarMessages): string {
  const [first, second] = [formatLaneName(one.owner, words), formatLaneName(other.owner, words)];
  const say = is === "wrong" ? words.timeline.twoHolders : words.timeline.twoMaybe;
  return say(first, second, formatSpan(to - from), formatClockMs(from));
}
