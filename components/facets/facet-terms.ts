import type { FacetField } from "@/lib/contract/facet.ts";
import { parseFilter, wordsOfFilter } from "@/lib/query/filter.ts";

/** The contract's, written again without zod. The types hold them together. */
const FACET_FIELDS = [
  "format",
  "kind",
  "verdict",
  "service",
  "host",
  "waiters",
] as const satisfies readonly FacetField[];

/** What the panel narrows a search by: a facet, or the beginning of keys. */
export type Narrowing = FacetField | "key";

export interface Narrows {
  filter: string;
  /** What is wrong with it: nothing is counted then. */
  fault: string | undefined;
  onFilter(filter: string): void;
}

const NAMESPACE = /:\*$/;

/** The word that finds what is in a namespace. White space would end it, and `key:=` asks for that very text. */
export function wordOfNamespace(prefix: string): string {
  return `key:${prefix.replace(/\s|^=/g, "?")}*`;
}

function fieldOf(word: string): Narrowing | undefined {
  const [term] = parseFilter(word);
  if (term === undefined) return undefined;
  return term.field === "key" ? "key" : FACET_FIELDS.find((field) => field === term.field);
}

/** Whether the panel itself could have put it there: of keys only the words for namespaces. */
function isNarrowing(word: string): boolean {
  const field = fieldOf(word);
  return field === "key" ? NAMESPACE.test(word) : field !== undefined;
}

const allWords = (filter: string) => wordsOfFilter(filter).map(({ word }) => word);

/** The words of a search that narrow by one thing. */
export function wordsOf(filter: string, field: Narrowing): string[] {
  return allWords(filter).filter((word) => fieldOf(word) === field);
}

/** The same search, narrowed by this word instead of others of its field; undefined: not at all. */
export function withWord(filter: string, field: Narrowing, word: string | undefined): string {
  const rest = allWords(filter).filter((each) => fieldOf(each) !== field);
  return (word === undefined ? rest : [...rest, word]).join(" ");
}

/** What the panel can clear. */
export function narrowingsIn(filter: string): string[] {
  return allWords(filter).filter(isNarrowing);
}

export function withoutNarrowings(filter: string): string {
  return allWords(filter)
    .filter((word) => !isNarrowing(word))
    .join(" ");
}

/** Whether two words of a field ask for the same, however they are written: `format:x` and `format:="x"`. */
export function isSameWord(one: string, other: string): boolean {
  return one === other || askedBy(one) === askedBy(other);
}

function askedBy(word: string): string {
  const [term] = parseFilter(word);
  if (term === undefined) return word;
  if ("exact" in term) return `${term.field} ${term.exact.toLowerCase()}`;
  return "glob" in term ? `${term.field} ${term.glob}` : word;
}
