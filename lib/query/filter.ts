import { decodeKey, encodeKeyPath, isBinaryKey, type Key } from "../keys/key.ts";
import { matchesGlob } from "./glob.ts";

const FIELDS = ["key", "owner", "format", "kind", "confidence", "liveness", "service", "host"] as const;
type Field = (typeof FIELDS)[number];
const NAMES = FIELDS.join("|");
const GLOB = new RegExp(`^(${NAMES}):(.+)$`, "s");
const EXACT = new RegExp(`^(${NAMES}):=(.+)$`, "s");
/** Each character is taken by one alternative alone, so this is linear. */
const QUOTED = new RegExp(`(${NAMES}):="((?:[^"\\\\]|\\\\.)*)"(?=\\s|$)`, "sy");
const COMPARISON_TERM = /^(held|remaining|waiters|count)([<>])(.*)$/s;
const COUNT = /^\d{1,9}$/;
const TIME = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;
const MS_OF_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const WORD = /\S+/y;
const LOCK_STATES = ["needs_attention", "listed", "unlisted"] as const;
const WILDCARD = /[*?[\\]/;
const BYTES = /^~([A-Za-z0-9_-]+)$/;

/**
 * A filter's words, all of which must match: `FIELD:GLOB` and plain text, without regard to case; `FIELD:="TEXT"` is
 * that very text, case and all, in which a backslash takes the next character for itself. `FIELD:=WORD` is the same of
 * what has neither white space nor quotes, and `FIELD:=~BASE64URL` of bytes.
 *
 * Of locks alone: `held>5m` and `remaining<10s` compare times (`ms`, `s`, `m`, `h`, `d`), `waiters>0` and `count>1`
 * numbers, `held>typical` is held for longer than nineteen of twenty locks of its pattern were, and `is:needs_attention` finds
 * locks that need attention (`needsAttention`). A lock without expiry has more time left than any. `is:unlisted` finds the
 * locks that a filter leaves out unless it selects them (`selectsUnlisted`), `is:listed` all others.
 */
export type ComparisonOperator = "<" | ">";
export type ComparisonTerm =
  | { field: "held"; comparing: ComparisonOperator; ms: number | "typical" }
  | { field: "remaining"; comparing: ComparisonOperator; ms: number }
  | { field: "waiters" | "count"; comparing: ComparisonOperator; number: number };
export type FilterTerm =
  | ComparisonTerm
  | { field: "is"; state: (typeof LOCK_STATES)[number] }
  | { field: Field; glob: string }
  | { field: Field; exact: Key }
  | { field: "any"; text: string };

export interface FilterSubject {
  readonly key: string;
  readonly owners: readonly string[];
  /** Texts of the owner records. */
  readonly records: readonly string[];
  /** Its format, and what else it may be. */
  readonly formats?: readonly string[];
  readonly kind?: string;
  readonly confidence?: string;
  readonly liveness?: string;
  readonly services?: readonly string[];
  readonly hosts?: readonly string[];
}

export function parseFilter(filter: string): FilterTerm[] {
  return tokenizeFilter(filter).map(({ word }) => {
    QUOTED.lastIndex = 0;
    const quoted = QUOTED.exec(word);
    if (quoted === null) return parseTerm(word);
    const [, name, text = ""] = quoted;
    return { field: parseField(name), exact: text.replace(/\\(.)/gs, "$1") };
  });
}

export interface FilterToken {
  /** As it was written, quotes and all. */
  readonly word: string;
  /** Where it begins. */
  readonly at: number;
}

export function tokenizeFilter(filter: string): FilterToken[] {
  const words: FilterToken[] = [];
  for (let at = 0; at < filter.length; ) {
    QUOTED.lastIndex = at;
    WORD.lastIndex = at;
    const word = (QUOTED.exec(filter) ?? WORD.exec(filter))?.[0];
    if (word !== undefined) words.push({ word, at });
    at += word?.length ?? 1;
  }
  return words;
}

function parseTerm(word: string): FilterTerm {
  const state = LOCK_STATES.find((each) => word === `is:${each}`);
  if (state !== undefined) return { field: "is", state };
  const comparing = parseComparison(word);
  if (comparing !== undefined) return comparing;
  const [, exactly, text = ""] = EXACT.exec(word) ?? [];
  if (exactly !== undefined) return { field: parseField(exactly), exact: decodeBytes(text) ?? text };
  const [, name, glob = ""] = GLOB.exec(word) ?? [];
  if (name !== undefined) return { field: parseField(name), glob: glob.toLowerCase() };
  return { field: "any", text: word.toLowerCase() };
}

function parseComparison(word: string): ComparisonTerm | undefined {
  const [, field, sign, than = ""] = COMPARISON_TERM.exec(word) ?? [];
  if (field === undefined) return undefined;
  const comparing = sign === "<" ? "<" : ">";
  if (field === "waiters" || field === "count") {
    return COUNT.test(than) ? { field, comparing, number: Number(than) } : undefined;
  }
  if (field === "held" && than === "typical") return { field, comparing, ms: "typical" };
  const [, amount, unit = ""] = TIME.exec(than) ?? [];
  const ms = Number(amount) * (MS_OF_UNIT[unit] ?? Number.NaN);
  if (Number.isNaN(ms)) return undefined;
  return field === "held" ? { field, comparing, ms } : { field: "remaining", comparing, ms };
}

/** A comparison with what its field is not compared with. */
export interface FilterError {
  field: string;
  expected: "number" | "time" | "time_or_typical";
}

/** The first comparison of a filter that means nothing; undefined: none. */
export function findInvalidComparison(filter: string): FilterError | undefined {
  for (const term of parseFilter(filter)) {
    if (!("text" in term)) continue;
    const [, field] = COMPARISON_TERM.exec(term.text) ?? [];
    if (field === undefined) continue;
    if (field === "waiters" || field === "count") return { field, expected: "number" };
    return { field, expected: field === "held" ? "time_or_typical" : "time" };
  }
  return undefined;
}

/** The same as a sentence, for who asks the API. */
export function describeFilterError(filter: string): string | undefined {
  const fault = findInvalidComparison(filter);
  if (fault === undefined) return undefined;
  const wanted = fault.expected === "number" ? "a whole number" : "a time, as 500ms, 30s, 5m, 2h or 1d";
  return `${fault.field} is compared with ${wanted}${fault.expected === "time_or_typical" ? ", or with typical" : ""}`;
}

/** Whether time alone may turn what meets a filter. */
export function isTimeDependent(filter: string): boolean {
  return parseFilter(filter).some(
    (term) => "ms" in term || ("state" in term && term.state === "needs_attention"),
  );
}

/** Returns whether a filter also matches unlisted locks: it says so, names a confidence, or names one key. */
export function selectsUnlisted(terms: readonly FilterTerm[]): boolean {
  return terms.some((term) => {
    if (term.field === "confidence" || ("state" in term && term.state === "unlisted")) return true;
    if (term.field !== "key") return false;
    return "exact" in term || !WILDCARD.test(term.glob);
  });
}

function parseField(name: string | undefined): Field {
  return FIELDS.find((each) => each === name) ?? "key";
}

function decodeBytes(text: string): Key | undefined {
  const encoded = BYTES.exec(text)?.[1];
  if (encoded === undefined || encoded.length % 4 === 1) return undefined;
  return decodeKey(Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), getCharCode));
}

const getCharCode = (character: string) => character.charCodeAt(0);

/** The word of a filter that only this very text meets, whatever characters it has. */
export function formatExactTerm(field: "key" | "owner" | "service" | "host", value: Key): string {
  if (isBinaryKey(value)) return `${field}:=${encodeKeyPath(value)}`;
  return `${field}:="${value.replace(/["\\]/g, "\\$&")}"`;
}

const FIELD_TEXTS: Readonly<Record<Field, (subject: FilterSubject) => readonly string[]>> = {
  key: ({ key }) => [key],
  owner: ({ owners }) => owners,
  format: ({ formats }) => formats ?? [],
  kind: ({ kind }) => (kind === undefined ? [] : [kind]),
  confidence: ({ confidence }) => (confidence === undefined ? [] : [confidence]),
  liveness: ({ liveness }) => (liveness === undefined ? [] : [liveness]),
  service: ({ services }) => services ?? [],
  host: ({ hosts }) => hosts ?? [],
};

export function matchesFilter(terms: readonly FilterTerm[], subject: FilterSubject): boolean {
  return terms.every((term) => {
    // Of locks alone.
    if ("comparing" in term || "state" in term) return false;
    if ("exact" in term) return FIELD_TEXTS[term.field](subject).includes(term.exact);
    if (term.field !== "any")
      return FIELD_TEXTS[term.field](subject).some((text) => matchesGlob(term.glob, text.toLowerCase()));
    return [subject.key, ...subject.owners, ...subject.records].some((text) =>
      text.toLowerCase().includes(term.text),
    );
  });
}
