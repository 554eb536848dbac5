import type { Unit } from "../../lib/contract/format.ts";
import { StrangeReplyError } from "../redis/failure.ts";
import { holderOf, recordOf, wholeOf } from "./companion.ts";
import type { SeenHolder } from "./observation.ts";

/** What the scripts of this folder answer, and how their words are read. */

export interface Granted {
  readonly outcome: "granted";
  readonly asOf: number;
  readonly count: number;
  readonly fence: string | null;
  readonly remainingMs: number;
}

/** `repeated`: answered from what was granted to the same request before. */
export type How = "acquired" | "reentered" | "repeated";

export interface Acquired extends Granted {
  readonly how: How;
}

export type Refused =
  | { readonly outcome: "request_id_reused" }
  | { readonly outcome: "unknown" }
  | { readonly outcome: "not_a_lock"; readonly type: string };

/** Another principal acquired the hold of this owner. */
export interface NotOwner {
  readonly outcome: "not_owner";
}

/** Who holds the lock instead. */
export interface Elsewhere {
  readonly asOf: number;
  readonly remainingMs: number | null;
  readonly holders: readonly SeenHolder[];
  /** `another_principal`: the owner that was asked with has it, and other credentials acquired it. */
  readonly by?: "another_principal";
}

export type AcquireReply =
  | Acquired
  | Refused
  | ({ outcome: "held" } & Elsewhere)
  | { outcome: "lost"; asOf: number; why: "ended" | "withdrawn" }
  | { outcome: "unit_conflict"; unit: Unit }
  | { outcome: "queue_full"; waiting: number };
export type RenewReply = Granted | Refused | NotOwner | ({ outcome: "lost" } & Elsewhere);
export type ReleaseReply =
  | Refused
  | NotOwner
  | { outcome: "released"; asOf: number; count: number; fence: string | null }
  | { outcome: "not_held"; asOf: number };
export type ForceReleaseReply =
  | { outcome: "released" | "gone" | "changed"; asOf: number }
  | { outcome: "not_a_lock"; type: string };

export function acquireReplyOf(reply: unknown): AcquireReply {
  const words = wordsOf(reply);
  const [outcome] = words;
  if (outcome === "granted") return { ...grantOf(words), how: howOf(words[5]) };
  if (outcome === "held") return { outcome, ...elsewhereOf(words) };
  if (outcome === "lost") return lossOf(words);
  if (outcome === "queue_full") return { outcome, waiting: Number(words[2]) };
  if (outcome === "unit_conflict") return { outcome, unit: words[1] === "s" ? "s" : "ms" };
  return refusalOf(words);
}

function howOf(word: string | undefined): How {
  return word === "reentered" || word === "repeated" ? word : "acquired";
}

function lossOf([, asOf, why]: readonly string[]): Extract<AcquireReply, { outcome: "lost" }> {
  return { outcome: "lost", asOf: Number(asOf), why: why === "withdrawn" ? why : "ended" };
}

export function renewReplyOf(reply: unknown): RenewReply {
  const words = wordsOf(reply);
  if (words[0] === "granted") return grantOf(words);
  if (words[0] === "lost") return { outcome: "lost", ...elsewhereOf(words) };
  if (words[0] === "not_owner") return { outcome: "not_owner" };
  return refusalOf(words);
}

export function releaseReplyOf(reply: unknown): ReleaseReply {
  const words = wordsOf(reply);
  const asOf = Number(words[1]);
  if (words[0] === "released")
    return { outcome: "released", asOf, count: Number(words[2]), fence: words[3] || null };
  if (words[0] === "not_held") return { outcome: "not_held", asOf };
  if (words[0] === "not_owner") return { outcome: "not_owner" };
  return refusalOf(words);
}

export function forceReleaseReplyOf(reply: unknown): ForceReleaseReply {
  const words = wordsOf(reply);
  const [outcome] = words;
  if (outcome === "not_a_lock") return { outcome, type: words[1] ?? "" };
  if (outcome === "released" || outcome === "gone" || outcome === "changed")
    return { outcome, asOf: Number(words[1]) };
  throw new StrangeReplyError(`force-release.lua answered ${JSON.stringify(outcome)}`);
}

export type ExtendReply =
  | { readonly outcome: "extended" | "enough"; readonly asOf: number; readonly remainingMs: number | null }
  | { readonly outcome: "gone"; readonly asOf: number }
  | { readonly outcome: "changed"; readonly asOf: number }
  | { readonly outcome: "not_a_lock"; readonly type: string };

export function extendReplyOf(reply: unknown): ExtendReply {
  const [outcome, first = "", left] = wordsOf(reply);
  if (outcome === "not_a_lock") return { outcome, type: first };
  const asOf = Number(first);
  if (outcome === "gone" || outcome === "changed") return { outcome, asOf };
  if (outcome === "extended" || outcome === "enough")
    return { outcome, asOf, remainingMs: Number(left) < 0 ? null : Number(left) };
  throw new StrangeReplyError(`extend.lua answered ${JSON.stringify(outcome)}`);
}

/** What remains of each in ms, null where it is gone, undefined where that cannot be told. */
export function manyRemainingOf(reply: unknown): (number | null | undefined)[] {
  return wordsOf(reply)
    .slice(1)
    .map((word) => (word === "-2" ? undefined : remainingOf(Number(word))));
}

export function isAgreed(reply: unknown): boolean {
  return wordsOf(reply)[0] === "agreed";
}

function grantOf([, asOf, count, fence, remaining]: readonly string[]): Granted {
  return {
    outcome: "granted",
    asOf: Number(asOf),
    count: Number(count),
    fence: fence || null,
    remainingMs: Number(remaining),
  };
}

function elsewhereOf([
  ,
  asOf,
  remaining,
  owner = "",
  fence,
  since,
  record,
  anothers,
  ...fields
]: readonly string[]): Elsewhere {
  const told = {
    fence: wholeOf(fence) === null ? null : (fence ?? null),
    sinceMs: wholeOf(since),
    leaseMs: null,
    graceMs: 0,
    seq: 0,
    record: recordOf(record),
  };
  const holders: SeenHolder[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const holder = fields[at] ?? "";
    // Also of a read/write lock: who stands in the way is told whatever kind it is.
    if (holder === "mode") continue;
    holders.push(holderOf(holder, Number(fields[at + 1]), holder === owner ? told : undefined));
  }
  const elsewhere = { asOf: Number(asOf), remainingMs: remainingOf(Number(remaining)), holders };
  return anothers === "1" ? { ...elsewhere, by: "another_principal" } : elsewhere;
}

function refusalOf(words: readonly string[]): Refused {
  if (words[0] === "request_id_reused" || words[0] === "unknown") return { outcome: words[0] };
  if (words[0] === "not_a_lock") return { outcome: "not_a_lock", type: words[1] ?? "" };
  throw new StrangeReplyError(`A script answered ${JSON.stringify(words[0])}`);
}

export function remainingOf(milliseconds: number): number | null {
  return milliseconds < 0 ? null : milliseconds;
}

function wordsOf(reply: unknown): string[] {
  // Where nothing that anybody wrote is among the words, one string costs less than a list.
  if (typeof reply === "string") return reply.split("\t");
  if (Array.isArray(reply)) return reply.map(String);
  throw new StrangeReplyError(`A script answered ${typeof reply} where a list was expected`);
}
