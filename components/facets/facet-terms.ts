import type { FacetField } from "@/lib/contract/facet.ts";
import { parseFilter, tokenizeFilter } from "@/lib/query/filter.ts";

/**
 * Duplicated from the contract, because importing the contract would bundle zod. The type checker rejects values that
 * the contract does not have.
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
  /** Why the filter is invalid; `undefined` if it is valid. Locks are not counted for an invalid filter. */
  fault: string | undefined;
  onFilter(filter: string): void;
}

const PREFIX_TERM = /:\*$/;

/**
 * Builds the term for a key prefix, with wildcards for white space, which would end the term, and for a leading `=`,
 * which would make the match exact.
 */
export function buildPrefixTerm(prefix: string): string {
  return `key:${prefix.replace(/\s|^=/g, "?")}*`;
}

function getTermField(text: string): FacetTermField | undefined {
  const [term] = parseFilter(text);
  if (term === undefined) return undefined;
  return term.field === "key" ? "key" : FACET_FIELDS.find((field) => field === term.field);
}

/** Returns whether the panel can set and clear a term. The panel supports keys only as prefixes. */
function isFacetTerm(text: string): boolean {
  const field = getTermField(text);
  return field === "key" ? PREFIX_TERM.test(text) : field !== undefined;
}

const splitTerms = (filter: string) => tokenizeFilter(filter).map(({ word }) => word);

/** Returns the terms of a filter that apply to one field. */
export function findFieldTerms(filter: string, field: FacetTermField): string[] {
  return splitTerms(filter).filter((text) => getTermField(text) === field);
}

/** Replaces the terms of a field with `text`, or removes them if `text` is `undefined`. */
export function replaceFieldTerm(filter: string, field: FacetTermField, text: string | undefined): string {
  const rest = splitTerms(filter).filter((each) => getTermField(each) !== field);
  return (text === undefined ? rest : [...rest, text]).join(" ");
}

/** Returns the terms that the panel can clear. */
export function findFacetTerms(filter: string): string[] {
  return splitTerms(filter).filter(isFacetTerm);
}

/** Removes a term from a search. */
export function removeTerm(filter: string, term: string): string {
  return splitTerms(filter)
    .filter((text) => text !== term)
    .join(" ");
}

const TERM = /^([a-z]+)(?::=?)?(.*)$/s;

/** Splits a term for display: `service:="pay desk"` into `service` and `pay desk`. */
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

/** Returns whether two terms of a field are equivalent, such as `format:x` and `format:="x"`. */
export function isSameTerm(one: string, other: string): boolean {
  return one === other || normalizeTerm(one) === normalizeTerm(other);
}

function normalizeTerm(text: string): string {
  const [term] = parseFilter(text);
  if (term === undefined) return text;
  if ("exact" in term) return `${term.field} ${term.exact.toLowerCase()}`;
  return "glob" in term ? `${term.field} ${term.glob}` : text;
}
