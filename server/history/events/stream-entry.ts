import {
  EVENT_TYPES,
  type GapEvent,
  type HistoryEntry,
  type LockEvent,
} from "../../../lib/contract/event.ts";
import type { RedisArgument } from "../../redis/commands.ts";

/** An event that has no id yet. The stream assigns the id. */
export type UnnumberedEvent = Omit<LockEvent, "id">;
export type UnnumberedGap = Omit<GapEvent, "id">;
export type UnnumberedEntry = UnnumberedEvent | UnnumberedGap;

/**
 * The fields of a stream entry, in order. All entries have the same fields, so that Redis stores the names only once
 * per stream node.
 */
const FIELDS = ["type", "key", "at", "owner", "fence", "seq", "count", "heldMs", "more"] as const;

/** Number of arguments that `append.lua` expects for each entry: the id and the fields above. */
export const ENTRY_ARGUMENT_COUNT = FIELDS.length + 1;

/** Approximate size in bytes of an entry without its strings, in memory and in the arguments of a script call. */
const ENTRY_BYTES = 400;

/** Estimates the size of an entry in memory, in bytes. Entries are smaller in the stream. */
export function measureEntryBytes(entry: UnnumberedEntry): number {
  if (entry.type === "gap") return ENTRY_BYTES;
  const { key, keyBase64 = "", owner = "", by = "", reason = "" } = entry;
  return ENTRY_BYTES + key.length + keyBase64.length + owner.length + by.length + reason.length;
}

/**
 * Encodes an entry as arguments for `append.lua`.
 *
 * @param id '*' for a new entry, or the original id of an entry that the store lost
 */
export function encodeEntry(entry: UnnumberedEntry, id = "*"): RedisArgument[] {
  if (entry.type === "gap")
    return [id, "gap", "", entry.at, "", "", "", "", "", encodeExtraFields({ from: entry.from })];
  const {
    type,
    key,
    keyBase64,
    at,
    owner = "",
    fence = "",
    seq,
    count,
    heldMs,
    by,
    reason,
    shared,
    observed,
  } = entry;
  const derived = observed === "inferred" ? true : undefined;
  const more = encodeExtraFields({ derived, keyBase64, by, reason, shared });
  return [id, type, key, at, owner, fence, seq ?? "", count ?? "", heldMs ?? "", more];
}

function encodeExtraFields(more: object): string {
  const text = JSON.stringify(more);
  return text === "{}" ? "" : text;
}

interface ExtraFields {
  readonly derived?: unknown;
  readonly keyBase64?: unknown;
  readonly by?: unknown;
  readonly reason?: unknown;
  readonly shared?: unknown;
  readonly from?: unknown;
}

/**
 * Decodes a stream entry. Returns `undefined` if the entry is invalid, which is possible because other clients can
 * write to the stream.
 */
export function decodeEntry(target: string, id: string, fields: readonly string[]): HistoryEntry | undefined {
  const given = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) given.set(fields[at] ?? "", fields[at + 1] ?? "");
  const type = given.get("type");
  const at = parseWholeNumber(given.get("at"));
  const more = parseExtraFields(given.get("more"));
  if (at === undefined || more === undefined) return undefined;
  if (type === "gap") {
    const from = Number(more.from);
    return Number.isFinite(from) ? { id, type, target, at, from, to: at } : undefined;
  }
  const known = EVENT_TYPES.find((name) => name === type);
  const key = given.get("key");
  if (known === undefined || key === undefined || key === "") return undefined;
  return decodeEvent({ id, type: known, target, key, at, observed: "exact" }, given, more);
}

function decodeEvent(event: LockEvent, given: ReadonlyMap<string, string>, more: ExtraFields): LockEvent {
  const owner = given.get("owner");
  const fence = given.get("fence") ?? "";
  const [seq, count, heldMs] = ["seq", "count", "heldMs"].map((name) => parseWholeNumber(given.get(name)));
  if (typeof more.keyBase64 === "string") event.keyBase64 = more.keyBase64;
  if (owner) event.owner = owner;
  if (count !== undefined) event.count = count;
  if (/^\d{1,16}$/.test(fence)) event.fence = fence;
  if (seq !== undefined) event.seq = seq;
  if (heldMs !== undefined) event.heldMs = heldMs;
  if (typeof more.by === "string") event.by = more.by;
  if (typeof more.reason === "string") event.reason = more.reason;
  if (more.shared === true) event.shared = true;
  if (more.derived === true) event.observed = "inferred";
  return event;
}

function parseWholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function parseExtraFields(text: string | undefined): ExtraFields | undefined {
  if (text === undefined || text === "") return {};
  try {
    const more: unknown = JSON.parse(text);
    return typeof more === "object" && more !== null ? more : undefined;
  } catch {
    return undefined;
  }
}
