import { FORMAT_LABELS } from "@/components/lock-facts/format-labels.ts";
import type { Completion } from "@/components/ui/completion.ts";
import type { CompletionOf } from "@/components/ui/use-completion.ts";
import type { Words } from "@/lib/i18n/en/messages.ts";
import { wordsOfFilter } from "@/lib/query/filter.ts";

interface Offer {
  text: string;
  hint: string;
}

export interface CompletionWords {
  search: Words["search"];
  verdicts: Words["lock"]["verdictHints"];
}

interface Offers {
  fields: readonly Offer[];
  /** By what stands before the value. */
  values: Readonly<Record<string, readonly Offer[]>>;
  units: readonly Offer[];
}

const offersOf = (field: string, hints: Readonly<Record<string, string>>): Offer[] =>
  Object.entries(hints).map(([value, hint]) => ({ text: `${field}${value}`, hint }));

function offersIn({ search, verdicts }: CompletionWords): Offers {
  const { fields, kinds, usual, amounts, units, ...words } = search;
  const short = { "10s": amounts["10s"], "1m": amounts["1m"] };
  return {
    fields: offersOf("", fields),
    values: {
      "verdict:": offersOf("verdict:", verdicts),
      "format:": offersOf("format:", FORMAT_LABELS),
      "kind:": offersOf("kind:", kinds),
      "is:": offersOf("is:", { abnormal: fields["is:abnormal"] }),
      "held>": offersOf("held>", {
        usual,
        "1m": amounts["1m"],
        "5m": amounts["5m"],
        "1h": amounts["1h"],
      }),
      "held<": offersOf("held<", short),
      "remaining<": offersOf("remaining<", short),
      "remaining>": offersOf("remaining>", { "1h": amounts["1h"], "1d": amounts["1d"] }),
      "waiters>": offersOf("waiters>", { 0: words.somebodyWaits, 5: words.fiveWait }),
      "waiters<": offersOf("waiters<", { 1: words.nobodyWaits }),
      "count>": offersOf("count>", { 1: words.reentered }),
      "count<": offersOf("count<", { 2: words.heldOnce }),
    },
    units: offersOf("", units),
  };
}

const BEGUN = /^((?:verdict|format|kind|is):|(?:held|remaining|waiters|count)[<>])(.*)$/s;
const AMOUNT = /^\d{1,9}$/;

/** What the word that ends at the caret may go on with. */
export function completionIn(words: CompletionWords): CompletionOf {
  const offers = offersIn(words);
  return (text, caret): Completion | undefined => {
    const under = wordsOfFilter(text).find(({ word, at }) => at < caret && caret <= at + word.length);
    const from = under?.at ?? caret;
    const begun = text.slice(from, caret).toLowerCase();
    const items = offersFor(begun, offers).filter((offer) => offer.text !== begun);
    return items.length === 0 ? undefined : { from, to: from + (under?.word.length ?? 0), items };
  };
}

function offersFor(begun: string, { fields, values, units }: Offers): readonly Offer[] {
  const [, field, value = ""] = BEGUN.exec(begun) ?? [];
  if (field === undefined) return fields.filter(({ text }) => text.startsWith(begun));
  if (AMOUNT.test(value) && /^(?:held|remaining)/.test(field)) {
    return units.map(({ text, hint }) => ({ text: `${begun}${text}`, hint }));
  }
  return (values[field] ?? []).filter(({ text }) => text.slice(field.length).includes(value));
}
