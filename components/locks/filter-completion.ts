import { FORMAT_LABELS } from "@/components/lock/format-labels.ts";
import { VERDICT_HINTS } from "@/components/lock/verdict-facts.ts";
import type { Completion } from "@/components/ui/completion.ts";
import { wordsOfFilter } from "@/lib/contract/filter.ts";
import type { Kind } from "@/lib/contract/format.ts";

interface Offer {
  text: string;
  hint: string;
}

const FIELDS: readonly Offer[] = [
  { text: "key:", hint: "Its name; * and ? stand for anything" },
  { text: "owner:", hint: "The raw owner string" },
  { text: "service:", hint: "The app that holds it" },
  { text: "host:", hint: "Where its holder runs" },
  { text: "verdict:", hint: "Whether its holder is alive" },
  { text: "format:", hint: "The library that wrote it" },
  { text: "kind:", hint: "Lock, semaphore, read, write…" },
  { text: "held>", hint: "Held for longer than" },
  { text: "held<", hint: "Held for less than" },
  { text: "remaining<", hint: "Expires within" },
  { text: "remaining>", hint: "Does not expire within" },
  { text: "waiters>", hint: "More wait for it than" },
  { text: "count>", hint: "Taken more often than, or by more holders" },
  { text: "is:abnormal", hint: "Late, without expiry, or held far past usual" },
];

const KIND_HINTS: Readonly<Record<Kind, string>> = {
  lock: "An ordinary lock",
  fair: "First come, first served",
  fenced: "With a fence of its library's own",
  read: "A read/write lock held by readers",
  write: "A read/write lock held by a writer",
  multi: "Several locks held as one",
  semaphore: "Held by several up to a limit",
  latch: "Closed until it is counted down",
};

const offersOf = (field: string, hints: Readonly<Record<string, string>>): Offer[] =>
  Object.entries(hints).map(([value, hint]) => ({ text: `${field}${value}`, hint }));

/** By what stands before the value. */
const VALUES: Readonly<Record<string, readonly Offer[]>> = {
  "verdict:": offersOf("verdict:", VERDICT_HINTS),
  "format:": offersOf("format:", FORMAT_LABELS),
  "kind:": offersOf("kind:", KIND_HINTS),
  "is:": offersOf("is:", { abnormal: "Late, without expiry, or held far past usual" }),
  "held>": offersOf("held>", {
    usual: "Longer than nineteen of twenty of its pattern",
    "1m": "One minute",
    "5m": "Five minutes",
    "1h": "One hour",
  }),
  "held<": offersOf("held<", { "10s": "Ten seconds", "1m": "One minute" }),
  "remaining<": offersOf("remaining<", { "10s": "Ten seconds", "1m": "One minute" }),
  "remaining>": offersOf("remaining>", { "1h": "One hour", "1d": "One day" }),
  "waiters>": offersOf("waiters>", { 0: "Somebody waits", 5: "More than five wait" }),
  "waiters<": offersOf("waiters<", { 1: "Nobody is seen to wait" }),
  "count>": offersOf("count>", { 1: "Re-entered, or shared" }),
  "count<": offersOf("count<", { 2: "Held once" }),
};

const BEGUN = /^((?:verdict|format|kind|is):|(?:held|remaining|waiters|count)[<>])(.*)$/s;
const AMOUNT = /^\d{1,9}$/;
const UNITS: readonly [string, string][] = [
  ["ms", "Milliseconds"],
  ["s", "Seconds"],
  ["m", "Minutes"],
  ["h", "Hours"],
  ["d", "Days"],
];

/** What the word that ends at the caret may go on with. */
export function completionOf(text: string, caret: number): Completion | undefined {
  const under = wordsOfFilter(text).find(({ word, at }) => at < caret && caret <= at + word.length);
  const from = under?.at ?? caret;
  const begun = text.slice(from, caret).toLowerCase();
  const items = offersFor(begun).filter((offer) => offer.text !== begun);
  return items.length === 0 ? undefined : { from, to: from + (under?.word.length ?? 0), items };
}

function offersFor(begun: string): readonly Offer[] {
  const [, field, value = ""] = BEGUN.exec(begun) ?? [];
  if (field === undefined) return FIELDS.filter(({ text }) => text.startsWith(begun));
  if (AMOUNT.test(value) && /^(?:held|remaining)/.test(field)) {
    return UNITS.map(([unit, hint]) => ({ text: `${begun}${unit}`, hint }));
  }
  return (VALUES[field] ?? []).filter(({ text }) => text.slice(field.length).includes(value));
}
