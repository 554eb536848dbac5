import type { Facet, FacetValue } from "@/lib/contract/facet.ts";
import type { VerdictState } from "@/lib/contract/liveness.ts";
import { compareNames } from "./compare-names.ts";
import { isSameWord, wordsOf } from "./facet-terms.ts";

/** So many values stand there before somebody asks for more. */
export const FEW = 6;

/** All there are, the worst first: they stay where they are, whatever there is of them. */
export const VERDICTS = [
  "late",
  "no-expiry",
  "unknown",
  "fixed-lease",
  "renewing",
] as const satisfies readonly VerdictState[];

export interface FacetRow {
  readonly value: string;
  /** The word that asks for it. */
  readonly filter: string;
  /** null: nobody has counted it. */
  readonly locks: number | null;
  readonly isChosen: boolean;
}

export interface FacetRows {
  readonly rows: readonly FacetRow[];
  /** Values that are known and not among them. */
  readonly more: number;
}

/** What can be ticked: the values that most locks have by their names, so that rows stay while counts change. */
export function rowsOf(facet: Facet, filter: string, amount: "few" | "all"): FacetRows {
  const words = wordsOf(filter, facet.field);
  const rowOf = (value: FacetValue): FacetRow => ({
    ...value,
    isChosen: words.some((word) => isSameWord(word, value.filter)),
  });
  const all = valuesOf(facet).map(rowOf);
  const shown = amount === "all" || facet.field === "verdict" ? all : all.slice(0, FEW);
  const beyond = all.slice(shown.length).filter(({ isChosen }) => isChosen);
  const typed = words.filter((word) => !all.some((row) => isSameWord(row.filter, word))).map(typedRow);
  const rows = [...shown, ...beyond];
  if (facet.field !== "verdict") rows.sort(byName);
  return { rows: [...typed, ...rows], more: all.length - rows.length };
}

function valuesOf({ field, values }: Facet): readonly FacetValue[] {
  if (field !== "verdict") return values;
  return VERDICTS.map(
    (value) => values.find((each) => each.value === value) ?? { value, filter: `verdict:${value}`, locks: 0 },
  );
}

/** A word that finds no value of the list, as a pattern: it can be seen, and taken away. */
function typedRow(word: string): FacetRow {
  return { value: word, filter: word, locks: null, isChosen: true };
}

function byName(one: FacetRow, other: FacetRow): number {
  return compareNames(one.value, other.value);
}
