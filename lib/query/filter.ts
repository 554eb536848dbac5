import { decodeKey, encodeKeyPath, isBinaryKey, type Key } from "../keys/key.ts";
import { matchesGlob } from "./glob.ts";

const FIELDS = [
  "key",
  "owner",
  "format",
  "kind",
  "confidence",
  "liveness",
  "service",
  "host",
  "session",
] as const;
type Field = (typeof FIELDS)[number];
const NAMES = FIELDS.join("|");
const GLOB = new RegExp(`^(${NAMES}):(.+)$`, "s");
const EXACT = new RegExp(`^(${NAMES}):=(.+)$`, "s");
/** Matches a quoted term. Each character matches only one alternative, so matching takes linear time. */
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

export type ComparisonOperator = "<" | ">";
export type ComparisonTerm =
  | { field: "held"; comparing: ComparisonOperator; ms: number | "typical" }
  | { field: "remaining"; comparing: ComparisonOperator; ms: number }
  | { field: "waiters" | "count"; comparing: ComparisonOperator; number: number };
/**
 * A term of a filter. A lock must match all terms. `FIELD:GLOB` and plain text are case-insensitive. `FIELD:="TEXT"`
 * matches the exact text, in which a backslash escapes the next character. `FIELD:=WORD` matches an exact text without
 * whitespace or quotes. `FIELD:=~BASE64URL` matches exact bytes.
 *
 * The fields other than `key` and `owner`, and the following terms, apply only to locks. `held>5m` and `remaining<10s`
 * compare times (`ms`, `s`, `m`, `h`, `d`), and `waiters>0` and `count>1` compare numbers. The remaining time of a lock
 * without a TTL is infinite. `held>typical` matches locks held for longer than the 95th percentile of their key
 * pattern. `is:needs_attention` matches locks that need attention (`needsAttention`). `is:unlisted` matches unlisted
 * locks: possible locks of which only the key name or value suggests a lock. `is:listed` matches all other locks. A
 * filter omits unlisted locks unless it selects them (`selectsUnlisted`).
 */
export type FilterTerm =
  | ComparisonTerm
  | { field: "is"; state: (typeof LOCK_STATES)[number] }
  | { field: Field; glob: string }
  | { field: Field; exact: Key }
  | { field: "any"; text: string };

export interface FilterSubject {
  readonly key: string;
  readonly owners: readonly string[];
  /**
   * Additional strings that a plain-text term can match. For a lock, the strings in the owner records of the holders.
   * For an event, the operator, the reason and the fencing token.
   */
  readonly records: readonly string[];
  /** The format of the lock, and other formats that the value could have. */
  readonly formats?: readonly string[];
  readonly kind?: string;
  readonly confidence?: string;
  readonly liveness?: string;
  readonly services?: readonly string[];
  readonly hosts?: readonly string[];
  readonly sessions?: readonly string[];
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
  /** The term as written, including quotes. */
  readonly word: string;
  /** Index at which the term starts in the filter. */
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

/** A comparison in a filter whose value is invalid. */
export interface FilterError {
  field: string;
  expected: "number" | "time" | "time_or_typical";
}

/** Finds the first comparison with an invalid value in a filter. Returns `undefined` if there is none. */
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

/**
 * Returns a message for API clients about the first comparison with an invalid value in a filter. Returns `undefined`
 * if there is no such comparison.
 */
export function describeFilterError(filter: string): string | undefined {
  const fault = findInvalidComparison(filter);
  if (fault === undefined) return undefined;
  const wanted = fault.expected === "number" ? "a whole number" : "a time such as 500ms, 30s, 5m, 2h or 1d";
  return `${fault.field} must be compared with ${wanted}${fault.expected === "time_or_typical" ? ", or with typical" : ""}`;
}

/** Returns whether the set of locks that match a filter can change as time passes, even if no lock changes. */
export function isTimeDependent(filter: string): boolean {
  return parseFilter(filter).some(
    (term) => "ms" in term || ("state" in term && term.state === "needs_attention"),
  );
}

/**
 * Returns whether a filter also matches unlisted locks. A filter does so if it contains `is:unlisted`, a confidence
 * term, or a key term without wildcards.
 */
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

/** Formats a filter term that matches exactly this value. The value can contain any characters. */
export function formatExactTerm(field: "key" | "owner" | "service" | "host" | "session", value: Key): string {
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
  session: ({ sessions }) => sessions ?? [],
};

export function matchesFilter(terms: readonly FilterTerm[], subject: FilterSubject): boolean {
  return terms.every((term) => {
    // Comparisons and `is:` terms apply only to locks and never match here.
    if ("comparing" in term || "state" in term) return false;
    if ("exact" in term) return FIELD_TEXTS[term.field](subject).includes(term.exact);
    if (term.field !== "any")
      return FIELD_TEXTS[term.field](subject).some((text) => matchesGlob(term.glob, text.toLowerCase()));
    return [subject.key, ...subject.owners, ...subject.records].some((text) =>
      text.toLowerCase().includes(term.text),
    );
  });
}
