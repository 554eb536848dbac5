import { holdOffOf, holdOffText, shortOwner } from "@/components/lock-facts/lock-texts.ts";
import { formatClockMs, formatSpan } from "@/components/ui/format-duration.ts";
import type { Words } from "@/lib/i18n/en/messages.ts";
import type { Bar, Overlap } from "./timeline-bars.ts";

/** What a bar is told in. */
export interface BarWords {
  timeline: Words["timeline"];
  lock: Words["lock"];
}

/** Who held it, for a label. May hold text from Redis. */
export function laneName(owner: string, words: BarWords): string {
  const holdOff = holdOffOf(owner);
  if (holdOff !== null) return holdOffText(holdOff, words.lock);
  return owner === "" ? words.timeline.notTold : shortOwner(owner);
}

/** All that a bar says, in sentences. May hold text from Redis. */
export function barText(bar: Bar, words: BarWords): string {
  const { timeline } = words;
  const sentences = [holdText(bar, words)];
  if (bar.fromIs === "at_least") sentences.push(timeline.maybeEarlier);
  if (bar.fence !== undefined) sentences.push(timeline.fence(bar.fence));
  if (bar.ended?.reason) sentences.push(timeline.reason(bar.ended.reason));
  return timeline.sentences(sentences);
}

function holdText({ owner, from, to, end, ended }: Bar, words: BarWords): string {
  const { timeline } = words;
  const who = laneName(owner, words);
  const [since, until, span] = [formatClockMs(from), formatClockMs(to), formatSpan(to - from)];
  if (end === "open") return timeline.open(who, since);
  if (end === "unseen") return timeline.unseen(who, since, until);
  if (end === "force_released" && ended?.by !== undefined)
    return timeline.forcedBy(who, since, until, span, ended.by);
  return timeline.ends[end](who, since, until, span);
}

export function overlapText({ from, to, bars: [one, other], is }: Overlap, words: BarWords): string {
  const [first, second] = [laneName(one.owner, words), laneName(other.owner, words)];
  const say = is === "wrong" ? words.timeline.twoHolders : words.timeline.twoMaybe;
  return say(first, second, formatSpan(to - from), formatClockMs(from));
}
