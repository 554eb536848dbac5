import { OwnerRecord } from "../../../lib/contract/lock.ts";
import type { SeenHolder } from "../observation.ts";

/** What the scripts of this folder answer, and how their words are read. */

export interface Granted {
  readonly outcome: "granted";
  readonly asOf: number;
  readonly count: number;
  readonly fence: string | null;
  readonly remainingMs: number;
}

export type Refused =
  | { readonly outcome: "request_id_reused" }
  | { readonly outcome: "unknown" }
  | { readonly outcome: "not_a_lock"; readonly type: string };

/** Who holds the lock instead. */
export interface Elsewhere {
  readonly asOf: number;
  readonly remainingMs: number | null;
  readonly holders: readonly SeenHolder[];
}

export type AcquireReply =
  | Granted
  | Refused
  | ({ outcome: "held" } & Elsewhere)
  | { outcome: "lost"; asOf: number }
  | { outcome: "queue_full"; waiting: number };
export type RenewReply = Granted | Refused | ({ outcome: "lost" } & Elsewhere);
export type ReleaseReply =
  | Refused
  | { outcome: "released"; asOf: number; count: number }
  | { outcome: "not_held"; asOf: number };
export type ForceReleaseReply =
  | { outcome: "released" | "gone" | "changed"; asOf: number }
  | { outcome: "not_a_lock"; type: string };

export interface Told {
  owner: string;
  fence: string;
  since: string;
  lease?: string;
  record: string;
  seq?: string;
}

export function holderOf(owner: string, count: number, told: Told | undefined): SeenHolder {
  return {
    owner,
    count,
    fence: told !== undefined && /^\d{1,16}$/.test(told.fence) ? told.fence : null,
    sinceMs: wholeOf(told?.since),
    leaseMs: wholeOf(told?.lease),
    record: recordOf(told?.record),
    seq: wholeOf(told?.seq) ?? 0,
  };
}

function wholeOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

function recordOf(json: string | undefined): OwnerRecord | undefined {
  if (!json) return undefined;
  try {
    return OwnerRecord.parse(JSON.parse(json));
  } catch {
    // Anyone can write to Redis; a record that is not one is no record.
    return undefined;
  }
}

export function grantOf([, asOf, count, fence, remaining]: readonly string[]): Granted {
  return {
    outcome: "granted",
    asOf: Number(asOf),
    count: Number(count),
    fence: fence || null,
    remainingMs: Number(remaining),
  };
}

export function elsewhereOf([
  ,
  asOf,
  remaining,
  owner = "",
  fence = "",
  since = "",
  record = "",
  ...fields
]: readonly string[]) {
  const told = { owner, fence, since, record };
  return {
    asOf: Number(asOf),
    remainingMs: remainingOf(Number(remaining)),
    holders: everyHolderOf(fields, told),
  };
}

/** As `holdersOf`, but also of a read/write lock: who stands in the way is told whatever kind it is. */
function everyHolderOf(fields: readonly string[], told: Told): SeenHolder[] {
  const holders: SeenHolder[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const owner = fields[at] ?? "";
    if (owner === "mode") continue;
    holders.push(holderOf(owner, Number(fields[at + 1]), owner === told.owner ? told : undefined));
  }
  return holders;
}

export function refusalOf(words: readonly string[]): Refused {
  if (words[0] === "request_id_reused" || words[0] === "unknown") return { outcome: words[0] };
  if (words[0] === "not_a_lock") return { outcome: "not_a_lock", type: words[1] ?? "" };
  throw new Error(`A script answered ${JSON.stringify(words[0])}`);
}

export function remainingOf(milliseconds: number): number | null {
  return milliseconds < 0 ? null : milliseconds;
}

export function wordsOf(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.map(String);
  throw new Error(`A script answered ${typeof reply} where a list was expected`);
}
