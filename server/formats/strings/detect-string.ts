import type { Confidence, FormatName } from "../../../lib/contract/format.ts";
import { type OwnerRecord, RECORD_TEXT_MAX } from "../../../lib/contract/lock.ts";
import { formatKey } from "../../../lib/keys/key.ts";
import type { KeyReach } from "../lock-format.ts";
import { createForeignHolder, type DetectedLock, type SeenHolder } from "../observation.ts";
import { type RawKey, toOwner } from "../raw-key.ts";
import { parseDeadline } from "../timestamp/deadline.ts";
import { detectDeadline } from "../writable-strings.ts";
import { assessName, type NameEvidence } from "./lock-name.ts";
import { STRING_VARIANTS, type StringVariant } from "./string-variants.ts";
import {
  type EmbeddedFacts,
  isNearbyTime,
  matchSyntaxes,
  parseUuid1Time,
  type SyntaxMatch,
} from "./value-syntax.ts";

/** Minimum TTL in ms that counts as no TTL. php-lock sets a TTL of a thousand years for a lock that never expires. */
const NEVER_MS = 10 * 365 * 24 * 3_600_000;

/** Maximum difference between a client's clock and the Redis clock, in ms. */
const CLOCKS_APART_MS = 60_000;

/** Libraries whose keys have distinctive names and whose values the application may choose. */
const APP_CHOSEN_VALUES: readonly (readonly [RegExp, FormatName])[] = [
  [/(?:^|:)lock:/, "python-redis-lock"],
  [/(?:^|:)mutex:/, "redis-semaphore"],
];

/**
 * Detects a string lock by comparing its key and value with the variants. Any other string counts as a possible lock if
 * the key name contains a word such as `lock` or `mutex`. It also counts as a possible lock if the API is allowed to
 * acquire the key, because `acquire` reports such a key as held. A string whose value is a deadline counts as a likely
 * lock if the key's name identifies it as a lock.
 */
export function detectString(raw: RawKey, reach: KeyReach): DetectedLock | undefined {
  const [value] = raw.content;
  if (value === undefined) return undefined;
  const shapes = matchSyntaxes(value, raw.asOf);
  const nameEvidence = assessName(raw.key);
  const name = formatKey(raw.key);
  for (const shaped of shapes) {
    const found = detectVariant(raw, name, nameEvidence, shaped);
    if (found !== undefined) return found;
  }
  if (nameEvidence === "none" && reach === "watched") return undefined;
  return detectNamedDeadline(raw, nameEvidence) ?? detectGenericToken(raw, name);
}

/**
 * Detects a lock in the format that a rule specifies. The syntax of the value only adds details. Returns `undefined`
 * for an empty string.
 */
export function detectStringAs(format: FormatName, raw: RawKey): DetectedLock | undefined {
  const [value] = raw.content;
  if (value === undefined || value.length === 0) return undefined;
  const name = formatKey(raw.key);
  const shapes = matchSyntaxes(value, raw.asOf);
  const mayBe = STRING_VARIANTS.filter(
    (each) => each.format === format && shapes.some(({ shape }) => shape === each.shape),
  );
  const variant =
    mayBe.find(({ own }) => own?.test(name) !== false) ?? mayBe.find(({ kind }) => kind === undefined);
  const carried = shapes.find(({ shape }) => shape === variant?.shape)?.carried ?? {};
  const known = { format, candidates: [], confidence: "certain", kind: variant?.kind ?? "lock" } as const;
  const isChosen = variant === undefined || variant.shape === "text";
  return toDetectedLock(isChosen ? { isChosen, ...known } : known, raw, carried, variant);
}

function detectVariant(
  raw: RawKey,
  name: string,
  nameEvidence: NameEvidence,
  { shape, carried, isCommon }: SyntaxMatch,
): DetectedLock | undefined {
  const mayBe = STRING_VARIANTS.filter(
    (each) => each.shape === shape && hasExpectedExpiry(each, raw, carried),
  );
  const own = mayBe.filter((each) => each.own?.test(name));
  const likely = own.length > 0 ? own : mayBe.filter(({ names }) => names === "any");
  const [variant] = likely;
  if (variant === undefined) return undefined;
  const isOwn = own.length > 0;
  const ends = raw.remainingMs !== null;
  const confidence = assessConfidence(variant, { isOwn, nameEvidence, isCommon, ends });
  if (confidence === undefined) return undefined;
  const formats = [...new Set(likely.map(({ format }) => format))];
  const beside = likely.flatMap((each) => each.beside ?? []);
  // Variants with the same syntax cannot be distinguished, so only the facts that they have in common are reported.
  const [format, candidates] =
    formats.length > 1 ? (["token", [...formats, ...beside]] as const) : ([variant.format, beside] as const);
  const known = { format, candidates, confidence, kind: variant.kind ?? "lock" } as const;
  return toDetectedLock(known, raw, carried, variant);
}

function hasExpectedExpiry(
  { ends }: StringVariant,
  { remainingMs, asOf }: RawKey,
  { epochMs }: EmbeddedFacts,
): boolean {
  if (remainingMs === null) return ends === "maybe";
  return ends !== "as_stated" || Math.abs(asOf + remainingMs - Number(epochMs)) < CLOCKS_APART_MS;
}

interface Evidence {
  /** Whether the key has a name that the library generates. */
  readonly isOwn: boolean;
  readonly nameEvidence: NameEvidence;
  readonly isCommon: boolean;
  readonly ends: boolean;
}

/** Assesses how likely the key is a lock. docs/decisions/0011 gives the reasons. */
function assessConfidence(
  { evidence, shape }: StringVariant,
  { isOwn, nameEvidence, isCommon, ends }: Evidence,
): Confidence | undefined {
  const isLock = nameEvidence === "lock" || nameEvidence === "lock_or_lockout";
  if (evidence === "unmistakable") return "certain";
  if (evidence === "unmistakable_in_lock") return isLock ? "certain" : "possible";
  if (evidence === "guess") return "possible";
  if (isOwn) return evidence !== "named_lock" || isLock ? "likely" : "possible";
  if (nameEvidence !== "none") return isLock && ends ? "likely" : "possible";
  // A version 1 UUID contains a time and a machine, which is typical of locks and ids.
  if (shape === "uuid1") return "possible";
  return ends && !isCommon ? "possible" : undefined;
}

/**
 * Detects a lock whose value is a deadline, written with SETNX and GETSET. Other times, such as the end of a lockout,
 * look the same.
 */
function detectNamedDeadline(raw: RawKey, nameEvidence: NameEvidence): DetectedLock | undefined {
  if (nameEvidence !== "lock" || !isNearbyDeadline(raw)) return undefined;
  const found = detectDeadline(raw);
  return found && { ...found, confidence: "likely" };
}

function isNearbyDeadline({ content, asOf }: RawKey): boolean {
  const end = parseDeadline(content[0]?.toString("latin1") ?? "");
  return end !== undefined && isNearbyTime(end, asOf);
}

/** Detects any string as a possible lock, with its content as the owner. */
function detectGenericToken(raw: RawKey, name: string): DetectedLock {
  const chosen = APP_CHOSEN_VALUES.filter(([own]) => own.test(name)).map(([, format]) => format);
  const candidates = isNearbyDeadline(raw) ? [...chosen, "timestamp" as const] : chosen;
  const known = { format: "token", candidates, kind: "lock", confidence: "possible" } as const;
  return toDetectedLock(known, raw, {}, undefined);
}

function toDetectedLock(
  known: Omit<DetectedLock, "holders" | "remainingMs" | "waiters">,
  raw: RawKey,
  carried: EmbeddedFacts,
  variant: StringVariant | undefined,
): DetectedLock {
  const { remainingMs, content } = raw;
  const holder: Partial<SeenHolder> = {
    ...toSince(carried),
    record: toRecord(carried),
    ...(variant?.kind === "write" ? { role: "write" } : {}),
  };
  return {
    holders: [createForeignHolder(toOwner(content[0] ?? Buffer.of()), holder)],
    remainingMs: remainingMs !== null && remainingMs > NEVER_MS ? null : remainingMs,
    ...known,
    ...(carried.waits === undefined ? {} : { waiters: { count: 1, known: "exact" } as const }),
  };
}

function toSince({ iso, uuid1 }: EmbeddedFacts): Pick<SeenHolder, "sinceMs" | "sinceIs"> | undefined {
  const sinceMs = uuid1 === undefined ? Date.parse(iso ?? "") : parseUuid1Time(uuid1);
  return Number.isNaN(sinceMs) ? undefined : { sinceMs, sinceIs: "reported" };
}

function toRecord({ host, pid, added }: EmbeddedFacts): OwnerRecord | undefined {
  const record: OwnerRecord = {
    ...toRecordField("host", host),
    ...(pid === undefined ? {} : { pid: Number(pid) }),
    ...toRecordField("purpose", added),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

/** @param latin1 the bytes of the value; omitted from the record if they are not printable UTF-8 */
function toRecordField(field: "host" | "purpose", latin1: string | undefined): OwnerRecord {
  const text = Buffer.from(latin1 ?? "", "latin1").toString("utf8");
  if (text === "" || /[\p{C}\ufffd]/u.test(text)) return {};
  return { [field]: text.slice(0, RECORD_TEXT_MAX).toWellFormed() };
}
