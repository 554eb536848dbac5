import type { Facet, FacetValue } from "@/lib/contract/facet.ts";
import type { LivenessState } from "@/lib/contract/liveness.ts";
import { compareNames } from "./compare-names.ts";
import { findFieldTerms, isSameTerm } from "./facet-terms.ts";

/** Number of values to show before the operator clicks "more". Selected values are shown in addition. */
export const FACET_ROWS_SHOWN = 6;

/** All liveness states in display order, most severe first. */
export const LIVENESS_ORDER = [
  "overdue",
  "no_ttl",
  "unknown",
  "not_renewing",
  "alive",
] as const satisfies readonly LivenessState[];

export interface FacetRow {
  readonly value: string;
  /** The filter term that selects the value. */
  readonly filter: string;
  /** Number of locks; `null` if they were not counted. */
  readonly locks: number | null;
  readonly isChosen: boolean;
}

export interface FacetRows {
  readonly rows: readonly FacetRow[];
  /** Number of values that are known but not in `rows`. */
  readonly more: number;
}

/**
 * Returns the rows of a facet. Terms that match no listed value come first. If `amount` is `few`, the values with the
 * most locks and the selected values follow. If `amount` is `all`, all values follow. Sorts the values by name, so that
 * rows stay in place while counts change. The liveness facet always has all values, in the order of `LIVENESS_ORDER`.
 */
export function buildFacetRows(facet: Facet, filter: string, amount: "few" | "all"): FacetRows {
  const terms = findFieldTerms(filter, facet.field);
  const rowOf = (value: FacetValue): FacetRow => ({
    ...value,
    isChosen: terms.some((term) => isSameTerm(term, value.filter)),
  });
  const all = listFacetValues(facet).map(rowOf);
  const shown = amount === "all" || facet.field === "liveness" ? all : all.slice(0, FACET_ROWS_SHOWN);
  const beyond = all.slice(shown.length).filter(({ isChosen }) => isChosen);
  const typed = terms.filter((term) => !all.some((row) => isSameTerm(row.filter, term))).map(createTypedRow);
  const rows = [...shown, ...beyond];
  if (facet.field !== "liveness") rows.sort(compareRows);
  return { rows: [...typed, ...rows], more: all.length - rows.length };
}

function listFacetValues({ field, values }: Facet): readonly FacetValue[] {
  if (field !== "liveness") return values;
  return LIVENESS_ORDER.map(
    (value) =>
      values.find((each) => each.value === value) ?? { value, filter: `liveness:${value}`, locks: 0 },
  );
}

/**
 * Creates a row for a term that matches no listed value, such as a pattern. The row lets the operator see and remove
 * the term.
 */
function createTypedRow(term: string): FacetRow {
  return { value: term, filter: term, locks: null, isChosen: true };
}

function compareRows(one: FacetRow, other: FacetRow): number {
  return compareNames(one.value, other.value);
}
