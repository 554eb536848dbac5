import type { FacetField } from "@/lib/contract/facet.ts";
import { parseFilter, tokenizeFilter } from "@/lib/query/filter.ts";

/**
 * The fields of the facets. Copied from the contract, because importing the contract would bundle zod. The type checker
 * rejects fields that the contract does not have.
 */
const FACET_FIELDS = [
  "format",
  "kind",
  "liveness",
  "service",
  "host",
  "session",
  "waiters",
] as const satisfies readonly FacetField[];

/** The fields that the panel can filter by: the facets and the key prefix. */
export type FacetTermField = FacetField | "key";

export interface FacetFilterProps {
  filter: string;
  /** Why the filter is invalid; `undefined` if it is valid. If the filter is invalid, the panel shows no counts. */
  fault: string | undefined;
  onFilter(filter: string): void;
}

const PREFIX_TERM = /:\*$/;

/**
 * Builds the filter term for a key prefix. Replaces white space with `?`, because white space would end the term. Also
 * replaces a leading `=`, because the `=` would make the match exact.
 */
export function buildPrefixTerm(prefix: string): string {
  return `key:${prefix.replace(/\s|^=/g, "?")}*`;
}

function getTermField(text: string): FacetTermField | undefined {
  const [term] = parseFilter(text);
  if (term === undefined) return undefined;
  return term.field === "key" ? "key" : FACET_FIELDS.find((field) => field === term.field);
}

/**
 * Returns whether the panel can set and clear a term. Of the terms for keys, the panel supports only those that match a
 * prefix.
 */
function isFacetTerm(text: string): boolean {
  const field = getTermField(text);
  return field === "key" ? PREFIX_TERM.test(text) : field !== undefined;
}

const splitTerms = (filter: string) => tokenizeFilter(filter).map(({ word }) => word);

/** Returns the terms of a filter that apply to `field`. */
export function findFieldTerms(filter: string, field: FacetTermField): string[] {
  return splitTerms(filter).filter((text) => getTermField(text) === field);
}

/** Replaces all terms that apply to a field with the term `text`. If `text` is `undefined`, only removes the terms. */
export function replaceFieldTerm(filter: string, field: FacetTermField, text: string | undefined): string {
  const rest = splitTerms(filter).filter((each) => getTermField(each) !== field);
  return (text === undefined ? rest : [...rest, text]).join(" ");
}

/** Returns the terms of a filter that the panel can clear. */
export function findFacetTerms(filter: string): string[] {
  return splitTerms(filter).filter(isFacetTerm);
}

/** Removes all occurrences of a term from a filter. Compares the exact text of the terms. */
export function removeTerm(filter: string, term: string): string {
  return splitTerms(filter)
    .filter((text) => text !== term)
    .join(" ");
}

const TERM = /^([a-z]+)(?::=?)?(.*)$/s;

/** Splits a term into field and value for display: `service:="pay desk"` into `service` and `pay desk`. */
export function splitTerm(term: string): { field: string; value: string } {
  const [, field = "", value = term] = TERM.exec(term) ?? [];
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return { field, value: isQuoted ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value };
}

export function removeFacetTerms(filter: string): string {
  return splitTerms(filter)
    .filter((text) => !isFacetTerm(text))
    .join(" ");
}

/** Returns whether two terms are equivalent, such as `format:x` and `format:="x"`. */
export function isSameTerm(one: string, other: string): boolean {
  return one === other || normalizeTerm(one) === normalizeTerm(other);
}

function normalizeTerm(text: string): string {
  const [term] = parseFilter(text);
  if (term === undefined) return text;
  if ("exact" in term) return `${term.field} ${term.exact.toLowerCase()}`;
  return "glob" in term ? `${term.field} ${term.glob}` : text;
}
