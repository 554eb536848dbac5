import { holdOffOf, holdOffText, shortOwner } from "@/components/lock/lock-facts.ts";
import { formatClockMs, formatSpan } from "@/components/ui/duration.ts";
import type { Bar, Overlap } from "./lanes.ts";

/** Who held it, for a label. May hold text from Redis. */
export function laneName(owner: string): string {
  const holdOff = holdOffOf(owner);
  if (holdOff !== null) return holdOffText(holdOff);
  return owner === "" ? "not told" : shortOwner(owner);
}

/** All that a bar says, in sentences. May hold text from Redis. */
export function barText(bar: Bar): string {
  const sentences = [holdText(bar)];
  if (bar.fromIs === "at_least") sentences.push("It may have begun earlier.");
  if (bar.fence !== undefined) sentences.push(`Its fence is ${bar.fence}.`);
  if (bar.ended?.reason) sentences.push(`The reason given was “${bar.ended.reason}”.`);
  return sentences.join(" ");
}

function holdText({ owner, from, to, end, ended }: Bar): string {
  const who = laneName(owner);
  const [since, until, span] = [formatClockMs(from), formatClockMs(to), formatSpan(to - from)];
  switch (end) {
    case "open":
      return `${who} has held it since ${since}.`;
    case "unseen":
      return `${who} held it from ${since} to ${until} at most; its end was not seen.`;
    case "released":
      return `${who} held it from ${since} to ${until}, for ${span}, and it was released.`;
    case "expired":
      return `${who} held it from ${since} to ${until}, for ${span}, and it expired: nobody released it.`;
    case "evicted":
      return `${who} held it from ${since} to ${until}, for ${span}, and Redis evicted it to save memory.`;
    case "force_released":
      return ended?.by === undefined
        ? `${who} held it from ${since} to ${until}, for ${span}, and it was freed by force.`
        : `${who} held it from ${since} to ${until}, for ${span}, and ${ended.by} freed it by force.`;
  }
}

export function overlapText({ from, to, bars: [one, other], is }: Overlap): string {
  const [first, second] = [laneName(one.owner), laneName(other.owner)];
  const [since, span] = [formatClockMs(from), formatSpan(to - from)];
  return is === "wrong"
    ? `Two holders at one time: ${first} and ${second}, for ${span} from ${since}. Only a fence at the resource tells their writes apart.`
    : `${first} and ${second} held it at one time, for ${span} from ${since}. That is right only if this lock takes several holders.`;
}
