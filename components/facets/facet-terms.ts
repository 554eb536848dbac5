import type { FacetField } from "@/lib/contract/facet.ts";
import { parseFilter, tokenizeFilter } from "@/lib/query/filter.ts";

/** The contract's, written again without zod. The types hold them together. */
const FACET_FIELDS = [
  "format",
  "kind",
  "liveness",
  "service",
  "host",
  "waiters",
] as const satisfies readonly FacetField[];

/** What the panel narrows a search by: a facet, or the beginning of keys. */
export type FacetTermField = FacetField | "key";

export interface FacetFilterProps {
  filter: string;
  /** What is wrong with it: nothing is counted then. */
  fault: string | undefined;
  onFilter(filter: string): void;
}

const PREFIX_TERM = /:\*$/;

/** The word that finds what is in a namespace. White space would end it, and `key:=` asks for that very text. */
export function buildPrefixTerm(prefix: string): string {
  return `key:${prefix.replace(/\s|^=/g, "?")}*`;
}

function getTermField(word: string): FacetTermField | undefined {
  const [term] = parseFilter(word);
  if (term === undefined) return undefined;
  return term.field === "key" ? "key" : FACET_FIELDS.find((field) => field === term.field);
}

/** Whether the panel itself could have put it there: of keys only the words for namespaces. */
function isFacetTerm(word: string): boolean {
  const field = getTermField(word);
  return field === "key" ? PREFIX_TERM.test(word) : field !== undefined;
}

const splitTerms = (filter: string) => tokenizeFilter(filter).map(({ word }) => word);

/** The words of a search that narrow by one thing. */
export function findFieldTerms(filter: string, field: FacetTermField): string[] {
  return splitTerms(filter).filter((word) => getTermField(word) === field);
}

/** The same search, narrowed by this word instead of others of its field; undefined: not at all. */
export function replaceFieldTerm(filter: string, field: FacetTermField, word: string | undefined): string {
  const rest = splitTerms(filter).filter((each) => getTermField(each) !== field);
  return (word === undefined ? rest : [...rest, word]).join(" ");
}

/** What the panel can clear. */
export function findFacetTerms(filter: string): string[] {
  return splitTerms(filter).filter(isFacetTerm);
}

/** The same search without this word. */
export function removeTerm(filter: string, term: string): string {
  return splitTerms(filter)
    .filter((word) => word !== term)
    .join(" ");
}

const TERM = /^([a-z]+)(?::=?)?(.*)$/s;

/** A word of a search for display: `service:="pay desk"` is `service` and `pay desk`. */
export function splitTerm(term: string): { field: string; value: string } {
  const [, field = "", value = term] = TERM.exec(term) ?? [];
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return { field, value: isQuoted ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value };
}

export function removeFacetTerms(filter: string): string {
  return splitTerms(filter)
    .filter((word) => !isFacetTerm(word))
    .join(" ");
}

/** Whether two words of a field ask for the same, however they are written: `format:x` and `format:="x"`. */
export function isSameTerm(one: string, other: string): boolean {
  return one === other || normalizeTerm(one) === normalizeTerm(other);
}

function normalizeTerm(word: string): string {
  const [term] = parseFilter(word);
  if (term === undefined) return word;
  if ("exact" in term) return `${term.field} ${term.exact.toLowerCase()}`;
  return "glob" in term ? `${term.field} ${term.glob}` : word;
}
