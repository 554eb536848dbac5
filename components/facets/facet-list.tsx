"use client";

import clsx from "clsx";
import { useState } from "react";
import { FORMAT_LABELS } from "@/components/lock-facts/format-labels.ts";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Facet } from "@/lib/contract/facet.ts";
import { facets } from "@/lib/i18n/en/facets.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { FACET_ITEM_ATTRIBUTE, moveFacetFocus } from "./facet-focus.ts";
import { buildFacetRows, FACET_ROWS_SHOWN, type FacetRow, LIVENESS_ORDER } from "./facet-rows.ts";

/**
 * The id of the "more" button among the ids of the values. The ids of values are filter terms, which are never empty.
 */
const MORE = "";

interface FacetListProps {
  facet: Facet;
  filter: string;
  /** Called when the selection changes. @param term the term of the selected value; `undefined` if none is selected */
  onChoose(term: string | undefined): void;
}

/**
 * Lists the values of a facet, each with its number of locks. The operator can select one value. The arrow keys move
 * between the values.
 */
export function FacetList({ facet, filter, onChoose }: FacetListProps) {
  const messages = useMessages(facets);
  const [amount, setAmount] = useState<"few" | "all">("few");
  const { rows, more } = buildFacetRows(ensureWaitersValue(facet), filter, amount);
  const { field, without, others } = facet;
  const [active, setActive] = useState<string | null>(null);
  // The facet has one tab stop: the last focused value. If no value was focused, it is the selected value or else the
  // first.
  const stop = rows.find((row) => row.filter === active) ?? rows.find((row) => row.isChosen) ?? rows[0];
  const isMoreStop = active === MORE || stop === undefined;
  return (
    <fieldset className="min-w-0" onKeyDown={moveFacetFocus}>
      <legend className="px-1.5 pb-0.5 text-2xs font-semibold text-ink-2">{messages.fields[field]}</legend>
      <ul>
        {rows.map((row) => (
          <FacetValueRow
            key={row.filter}
            row={row}
            field={field}
            isStop={!isMoreStop && row === stop}
            onFocus={() => setActive(row.filter)}
            onChoose={() => onChoose(row.isChosen ? undefined : row.filter)}
          />
        ))}
      </ul>
      {(more > 0 || amount === "all") && rows.length + more > FACET_ROWS_SHOWN && (
        <button
          type="button"
          {...{ [FACET_ITEM_ATTRIBUTE]: "" }}
          tabIndex={isMoreStop ? 0 : -1}
          onFocus={() => setActive(MORE)}
          aria-expanded={amount === "all"}
          className="h-6 px-1.5 text-2xs text-accent hover:underline max-sm:h-11"
          onClick={() => setAmount(amount === "all" ? "few" : "all")}
        >
          {amount === "all" ? messages.fewer : messages.more(formatNumber(more))}
        </button>
      )}
      {others > 0 && amount === "all" && (
        <p className="px-1.5 text-2xs text-ink-3">{messages.others(formatNumber(others))}</p>
      )}
      {without > 0 && (field === "service" || field === "host") && (
        <p className="px-1.5 pt-0.5 text-2xs text-ink-3">
          {messages.without(formatNumber(without), messages.fields[field])}
        </p>
      )}
    </fieldset>
  );
}

/** Adds the value "waiting" to a waiters facet without values. Its checkbox is shown even if no lock has waiters. */
function ensureWaitersValue(facet: Facet): Facet {
  if (facet.field !== "waiters" || facet.values.length > 0) return facet;
  return { ...facet, values: [{ value: "waiting", filter: "waiters>0", locks: 0 }] };
}

interface FacetValueRowProps {
  row: FacetRow;
  field: Facet["field"];
  /** Whether the checkbox is the tab stop of the facet. */
  isStop: boolean;
  onFocus(): void;
  onChoose(): void;
}

function FacetValueRow({ row, field, isStop, onFocus, onChoose }: FacetValueRowProps) {
  const { value, locks, isChosen } = row;
  return (
    <li>
      <label
        title={toVisibleText(row.filter)}
        className={clsx(
          "flex min-h-6 cursor-pointer items-center gap-2 rounded-[5px] px-1.5 hover:bg-line-soft max-sm:min-h-11",
          isChosen && "bg-selected",
        )}
      >
        <input
          type="checkbox"
          checked={isChosen}
          onChange={onChoose}
          {...{ [FACET_ITEM_ATTRIBUTE]: "" }}
          tabIndex={isStop ? 0 : -1}
          onFocus={onFocus}
          className="size-[13px] shrink-0 accent-accent"
        />
        <span className={clsx("min-w-0 flex-1 truncate", locks === 0 && !isChosen && "text-ink-3")}>
          <FacetValueText row={row} field={field} />
        </span>
        {locks !== null && (
          <span
            className={clsx("shrink-0", isUnhealthyValue(field, value, locks) ? "text-bad" : "text-ink-3")}
          >
            {formatNumber(locks)}
          </span>
        )}
      </label>
    </li>
  );
}

function FacetValueText({ row: { value, locks }, field }: Pick<FacetValueRowProps, "row" | "field">) {
  const messages = useMessages(facets);
  const { formatNames } = useMessages(lockWords);
  const kinds: ReadonlyMap<string, string> = new Map(Object.entries(useMessages(lockKinds).names));
  if (locks === null) return <SafeText text={value} />;
  if (field === "waiters") return messages.hasWaiters;
  const isPlain = value === "token" || value === "timestamp";
  if (field === "format" && isPlain) return formatNames[value];
  const format = field === "format" ? formatFacetValue(value) : undefined;
  if (format !== undefined) return format;
  const liveness = LIVENESS_ORDER.find((each) => each === value);
  if (field === "liveness" && liveness !== undefined) return messages.liveness[liveness];
  return <SafeText text={field === "kind" ? (kinds.get(value) ?? value) : value} />;
}

const VALUE_LABELS: ReadonlyMap<string, string> = new Map(Object.entries(FORMAT_LABELS));
const formatFacetValue = (format: string) => VALUE_LABELS.get(format);

function isUnhealthyValue(field: Facet["field"], value: string, locks: number): boolean {
  return field === "liveness" && locks > 0 && (value === "overdue" || value === "no_ttl");
}
