import type { ChainPlace } from "../../../lib/contract/audit.ts";
import { OURS_AT_HOME } from "../../formats/keys.ts";
import type { Home } from "../../home/home-store.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { Script } from "../../redis/script.ts";
import { BEGINNING, type Link } from "./audit-chain.ts";

/** How much of the audit is kept. */
export interface AuditRetention {
  /** Entries. */
  readonly most: number;
  readonly ms: number;
}

const STREAM = `${OURS_AT_HOME}audit`;
const END = `${OURS_AT_HOME}audit:end`;
/** How many entries one call appends at most: the store serves others meanwhile. */
export const APPEND_MAX = 100;
/** How many entries are read in one call. */
export const PAGE = 500;

export interface End {
  readonly head: ChainPlace;
  /** The last entry that is not kept any more. */
  readonly anchor: ChainPlace;
}

export type Appended =
  | { readonly outcome: "appended" }
  | {
      readonly outcome: "behind";
      /** undefined: there is no chain. */
      readonly end: End | undefined;
      /** Of the entries that were asked for; '' where there is none. */
      readonly hashes: readonly string[];
    };

const APPEND = new Script<RedisArgument[], RedisArgument[], Appended>(
  new URL("append.lua", import.meta.url),
  appendedOf,
);

function appendedOf(reply: unknown): Appended {
  const [outcome, there = "", anchor = "", ...hashes] = reply as string[];
  if (outcome === "appended") return { outcome };
  const head = placeOf(there);
  const end = head && { head, anchor: placeOf(anchor) ?? BEGINNING };
  return { outcome: "behind", end, hashes };
}

function placeOf(text: string): ChainPlace | undefined {
  const [, number, hash] = /^(\d{1,20}) ([0-9a-f]{64})$/.exec(text) ?? [];
  return number === undefined || hash === undefined ? undefined : { number: Number(number), hash };
}

const wordsOf = ({ number, hash }: ChainPlace) => `${number} ${hash}`;

export interface AppendAsk {
  /** The end that the links follow; undefined: there is no chain, and they begin one behind `begin`. */
  readonly head: ChainPlace | undefined;
  readonly begin: ChainPlace | undefined;
  readonly links: readonly Link[];
  /** Entries whose hashes are told should the end be another one. */
  readonly compare: readonly number[];
}

/** The chain of the audit, in the home store. */
export class AuditStore {
  constructor(
    private readonly home: Pick<Home, "call" | "run">,
    private readonly retention: AuditRetention,
  ) {}

  /** Once; what fails is the caller's. */
  append(ask: AppendAsk): Promise<Appended> {
    const words = this.#wordsOf(ask);
    return this.home.call((redis) => APPEND.run(redis, [STREAM, END], words));
  }

  #wordsOf({ head, begin, links, compare }: AppendAsk): RedisArgument[] {
    const { most, ms } = this.retention;
    return [
      head === undefined ? "" : wordsOf(head),
      begin === undefined ? "" : wordsOf(begin),
      ...[most, Math.max(0, Date.now() - ms), compare.join(" ")],
      ...links.flatMap(({ hash, text }) => [hash, text]),
    ];
  }

  /** The end of the chain, changing nothing; undefined: there is none. @throws LockkeeperError unavailable, unknown_outcome */
  async end(): Promise<End | undefined> {
    const words = this.#wordsOf({ head: undefined, begin: undefined, links: [], compare: [] });
    const reply = await this.home.run((redis) => APPEND.run(redis, [STREAM, END], words));
    return reply.outcome === "behind" ? reply.end : undefined;
  }

  /** Entries behind a number, oldest first. @throws as `end` */
  async after(number: number, count = PAGE): Promise<Link[]> {
    // Redis takes no number below nought, and nothing before nought itself.
    const from = number < 0 ? "-" : `(${number}-18446744073709551615`;
    const found = await this.home.run((redis) => redis.xrange(STREAM, from, "+", "COUNT", count));
    return found.map(linkOf);
  }

  /** Entries before a number, or all (infinity), newest first. @throws as `end` */
  async before(number: number, count = PAGE): Promise<Link[]> {
    if (number <= 0) return [];
    const from = Number.isFinite(number) ? `(${number}-0` : "+";
    const found = await this.home.run((redis) => redis.xrevrange(STREAM, from, "-", "COUNT", count));
    return found.map(linkOf);
  }
}

/** Anybody may have written to the stream: what is missing is empty, and fits nowhere. */
function linkOf([id, fields]: [id: string, fields: string[]]): Link {
  const given = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) given.set(fields[at] ?? "", fields[at + 1] ?? "");
  return {
    number: Number(/^\d+/.exec(id)?.[0]),
    prev: given.get("prev") ?? "",
    hash: given.get("hash") ?? "",
    text: given.get("entry") ?? "",
  };
}
