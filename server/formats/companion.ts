import { WritableFormat } from "../../lib/contract/format.ts";
import { OwnerRecord } from "../../lib/contract/lock.ts";
import type { SeenHolder } from "./observation.ts";

/** What the companion tells of a hold, as companion.lua writes it; not to be believed before it fits the lock. */
export interface Companion {
  readonly owner: string;
  /** What the lock's key holds meanwhile, where its format has a value. */
  readonly value: string;
  readonly count: number;
  readonly fence: string | null;
  readonly sinceMs: number | null;
  readonly leaseMs: number | null;
  readonly seq: number;
  readonly format: WritableFormat;
  readonly record: OwnerRecord | undefined;
  readonly graceMs: number;
}

/** undefined for what anybody may have written in its place, and when no hold is told of. */
export function parseCompanion(text: string): Companion | undefined {
  const [owner, value = "", count, fence, since, lease, grace, , seq, format, record] = text.split("\n", 11);
  const known = WritableFormat.safeParse(format);
  if (owner === undefined || owner === "" || !known.success) return undefined;
  return {
    owner: copyText(owner),
    value: copyText(value),
    count: parseWholeNumber(count) ?? 1,
    fence: fence !== undefined && /^\d{1,16}$/.test(fence) ? copyText(fence) : null,
    sinceMs: parseWholeNumber(since),
    leaseMs: parseWholeNumber(lease),
    graceMs: parseWholeNumber(grace) ?? 0,
    seq: parseWholeNumber(seq) ?? 0,
    format: known.data,
    record: parseOwnerRecord(record?.split("\t", 1)[0]),
  };
}

/** A part of a text keeps all of the text in memory, and it is kept for as long as the lock is held. */
function copyText(part: string): string {
  return Buffer.from(part).toString();
}

export function toSeenHolder(
  owner: string,
  count: number,
  companion: Pick<Companion, "fence" | "sinceMs" | "leaseMs" | "seq" | "record" | "graceMs"> | undefined,
): SeenHolder {
  return {
    owner,
    count,
    fence: companion?.fence ?? null,
    sinceMs: companion?.sinceMs ?? null,
    leaseMs: companion?.leaseMs ?? null,
    record: companion?.record,
    marginMs: companion?.graceMs ?? 0,
    seq: companion?.seq ?? 0,
  };
}

export function parseWholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

export function parseOwnerRecord(json: string | undefined): OwnerRecord | undefined {
  if (!json) return undefined;
  try {
    return OwnerRecord.parse(JSON.parse(json));
  } catch {
    // Anyone can write to Redis; a record that is not one is no record.
    return undefined;
  }
}
