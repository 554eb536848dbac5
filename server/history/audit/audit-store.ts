import type { ChainPlace } from "../../../lib/contract/audit.ts";
import { HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { Script } from "../../redis/script.ts";
import { CHAIN_START, type ChainLink } from "./audit-chain.ts";

/** How much of the audit is kept. */
export interface AuditRetention {
  /** Entries. */
  readonly most: number;
  readonly ms: number;
}

const STREAM_KEY = `${HOME_PREFIX}audit`;
const END_KEY = `${HOME_PREFIX}audit:end`;
/** How many entries one call appends at most: the store serves others meanwhile. */
export const AUDIT_APPEND_MAX = 100;
/** How many entries are read in one call: at their longest they stay far below what arrives within its time. */
export const AUDIT_PAGE_SIZE = 100;

export interface ChainEnd {
  readonly head: ChainPlace;
  /** The last entry that is not kept any more. */
  readonly anchor: ChainPlace;
}

export type AuditAppendResult =
  | { readonly outcome: "appended" }
  | {
      readonly outcome: "behind";
      /** undefined: there is no chain. */
      readonly end: ChainEnd | undefined;
      /** Of the entries that were asked for; '' where there is none. */
      readonly hashes: readonly string[];
    };

const APPEND_SCRIPT = new Script<RedisArgument[], RedisArgument[], AuditAppendResult>(
  new URL("append.lua", import.meta.url),
  parseAppendResult,
);

function parseAppendResult(reply: unknown): AuditAppendResult {
  const [outcome, there = "", anchor = "", ...hashes] = reply as string[];
  if (outcome === "appended") return { outcome };
  const head = parsePlace(there);
  const end = head && { head, anchor: parsePlace(anchor) ?? CHAIN_START };
  return { outcome: "behind", end, hashes };
}

function parsePlace(text: string): ChainPlace | undefined {
  const [, number, hash] = /^(\d{1,20}) ([0-9a-f]{64})$/.exec(text) ?? [];
  return number === undefined || hash === undefined ? undefined : { number: Number(number), hash };
}

const formatPlace = ({ number, hash }: ChainPlace) => `${number} ${hash}`;

export interface AuditAppendRequest {
  /** The end that the links follow; undefined: there is no chain, and they begin one behind `begin`. */
  readonly head: ChainPlace | undefined;
  readonly begin: ChainPlace | undefined;
  readonly links: readonly ChainLink[];
  /** Entries whose hashes are told should the end be another one. */
  readonly compare: readonly number[];
}

/** The chain of the audit, in the home store. */
export class AuditStore {
  constructor(
    private readonly home: Pick<HomeStore, "callOnce" | "run">,
    private readonly retention: AuditRetention,
  ) {}

  /** Once; what fails is the caller's. */
  append(ask: AuditAppendRequest): Promise<AuditAppendResult> {
    const args = this.#toArguments(ask);
    return this.home.callOnce((redis) => APPEND_SCRIPT.run(redis, [STREAM_KEY, END_KEY], args));
  }

  #toArguments({ head, begin, links, compare }: AuditAppendRequest): RedisArgument[] {
    const { most, ms } = this.retention;
    return [
      head === undefined ? "" : formatPlace(head),
      begin === undefined ? "" : formatPlace(begin),
      ...[most, Math.max(0, Date.now() - ms), compare.join(" ")],
      ...links.flatMap(({ hash, text }) => [hash, text]),
    ];
  }

  /** The end of the chain, changing nothing; undefined: there is none. @throws LockkeeperError unavailable, unknown_outcome */
  async readEnd(): Promise<ChainEnd | undefined> {
    const args = this.#toArguments({ head: undefined, begin: undefined, links: [], compare: [] });
    const reply = await this.home.run((redis) => APPEND_SCRIPT.run(redis, [STREAM_KEY, END_KEY], args));
    return reply.outcome === "behind" ? reply.end : undefined;
  }

  /** Entries behind a number, oldest first. @throws as `end` */
  async readAfter(number: number, count = AUDIT_PAGE_SIZE): Promise<ChainLink[]> {
    // Redis takes no number below nought, and nothing before nought itself.
    const from = number < 0 ? "-" : `(${number}-18446744073709551615`;
    const found = await this.home.run((redis) => redis.xrange(STREAM_KEY, from, "+", "COUNT", count));
    return found.map(toLink);
  }

  /** Entries before a number, or all (infinity), newest first. @throws as `end` */
  async readBefore(number: number, count = AUDIT_PAGE_SIZE): Promise<ChainLink[]> {
    if (number <= 0) return [];
    const from = Number.isFinite(number) ? `(${number}-0` : "+";
    const found = await this.home.run((redis) => redis.xrevrange(STREAM_KEY, from, "-", "COUNT", count));
    return found.map(toLink);
  }
}

/** Anybody may have written to the stream: what is missing is empty, and fits nowhere. */
function toLink([id, fields]: [id: string, fields: string[]]): ChainLink {
  const given = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) given.set(fields[at] ?? "", fields[at + 1] ?? "");
  return {
    number: Number(/^\d+/.exec(id)?.[0]),
    prev: given.get("prev") ?? "",
    hash: given.get("hash") ?? "",
    text: given.get("entry") ?? "",
  };
}
