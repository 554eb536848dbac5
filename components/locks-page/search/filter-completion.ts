import { FORMAT_LABELS } from "@/components/lock-facts/format-labels.ts";
import type { Completion } from "@/components/ui/search/completion.ts";
import type { CompletionSource } from "@/components/ui/search/use-completion.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { tokenizeFilter } from "@/lib/query/filter.ts";

interface CompletionOption {
  text: string;
  hint: string;
}

export interface CompletionMessages {
  search: Messages["search"];
  liveness: Messages["lock"]["livenessHints"];
}

interface CompletionOptions {
  fields: readonly CompletionOption[];
  /** Completions for the value of a term, by the field and operator of the term, such as `liveness:` or `held>`. */
  values: Readonly<Record<string, readonly CompletionOption[]>>;
  units: readonly CompletionOption[];
}

const toFieldOptions = (field: string, hints: Readonly<Record<string, string>>): CompletionOption[] =>
  Object.entries(hints).map(([value, hint]) => ({ text: `${field}${value}`, hint }));

function buildCompletionOptions({ search, liveness }: CompletionMessages): CompletionOptions {
  const { fields, kinds, typical, amounts, units, ...texts } = search;
  const short = { "10s": amounts["10s"], "1m": amounts["1m"] };
  return {
    fields: toFieldOptions("", fields),
    values: {
      "liveness:": toFieldOptions("liveness:", liveness),
      "format:": toFieldOptions("format:", FORMAT_LABELS),
      "kind:": toFieldOptions("kind:", kinds),
      "confidence:": toFieldOptions("confidence:", texts.confidences),
      "is:": toFieldOptions("is:", {
        needs_attention: fields["is:needs_attention"],
        unlisted: fields["is:unlisted"],
      }),
      "held>": toFieldOptions("held>", {
        typical,
        "1m": amounts["1m"],
        "5m": amounts["5m"],
        "1h": amounts["1h"],
      }),
      "held<": toFieldOptions("held<", short),
      "remaining<": toFieldOptions("remaining<", short),
      "remaining>": toFieldOptions("remaining>", { "1h": amounts["1h"], "1d": amounts["1d"] }),
      "waiters>": toFieldOptions("waiters>", { 0: texts.hasWaiters, 5: texts.manyWaiters }),
      "waiters<": toFieldOptions("waiters<", { 1: texts.noWaiters }),
      "count>": toFieldOptions("count>", { 1: texts.reentered }),
      "count<": toFieldOptions("count<", { 2: texts.heldOnce }),
    },
    units: toFieldOptions("", units),
  };
}

const PARTIAL_TERM = /^((?:liveness|format|kind|confidence|is):|(?:held|remaining|waiters|count)[<>])(.*)$/s;
const AMOUNT = /^\d{1,9}$/;

/**
 * Creates a function that returns the completions for the term at the caret, or `undefined` if no completion applies.
 */
export function createFilterCompletion(texts: CompletionMessages): CompletionSource {
  const offers = buildCompletionOptions(texts);
  return (text, caret): Completion | undefined => {
    const under = tokenizeFilter(text).find(({ word, at }) => at < caret && caret <= at + word.length);
    const from = under?.at ?? caret;
    const begun = text.slice(from, caret).toLowerCase();
    const items = findOptions(begun, offers).filter((offer) => offer.text !== begun);
    return items.length === 0 ? undefined : { from, to: from + (under?.word.length ?? 0), items };
  };
}

function findOptions(
  begun: string,
  { fields, values, units }: CompletionOptions,
): readonly CompletionOption[] {
  const [, field, value = ""] = PARTIAL_TERM.exec(begun) ?? [];
  if (field === undefined) return fields.filter(({ text }) => text.startsWith(begun));
  if (AMOUNT.test(value) && /^(?:held|remaining)/.test(field)) {
    return units.map(({ text, hint }) => ({ text: `${begun}${text}`, hint }));
  }
  return (values[field] ?? []).filter(({ text }) => text.slice(field.length).includes(value));
}
