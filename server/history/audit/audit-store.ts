import type { ChainPlace } from "../../../lib/contract/audit.ts";
import { HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { Script } from "../../redis/script.ts";
import { CHAIN_START, type ChainLink } from "./audit-chain.ts";

/** Limits on the stored entries of the audit log. Each append removes some of the oldest entries beyond the limits. */
export interface AuditRetention {
  /** Maximum number of entries. */
  readonly most: number;
  /** Age in ms at which entries can be removed. */
  readonly ms: number;
}

const STREAM_KEY = `${HOME_PREFIX}audit`;
const END_KEY = `${HOME_PREFIX}audit:end`;
/**
 * Maximum number of entries per append, not including the entry that begins a chain. More entries need several calls,
 * between which Redis can serve other clients.
 */
export const AUDIT_APPEND_MAX = 100;
/** Number of entries per read. Small enough that even the largest entries arrive well within the command timeout. */
export const AUDIT_PAGE_SIZE = 100;

export interface ChainEnd {
  readonly head: ChainPlace;
  /**
   * The place before the oldest entry: the last entry that retention removed, or the place at which the chain began.
   */
  readonly anchor: ChainPlace;
}

export type AuditAppendResult =
  | { readonly outcome: "appended" }
  | {
      readonly outcome: "behind";
      /** `undefined` if there is no chain. */
      readonly end: ChainEnd | undefined;
      /** Hashes of the entries in `compare`, in the same order. An empty string represents a missing entry. */
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
  /**
   * The expected end of the chain, after which the links are appended. `undefined` if no chain is expected, in which
   * case the links start a new chain after `begin`. Also `undefined` for a request that only reads the end.
   */
  readonly head: ChainPlace | undefined;
  readonly begin: ChainPlace | undefined;
  readonly links: readonly ChainLink[];
  /** Numbers of the entries whose hashes the result contains if the chain does not end at `head`. */
  readonly compare: readonly number[];
}

/** The audit chain in the home store. Reads and appends entries. */
export class AuditStore {
  constructor(
    private readonly home: Pick<HomeStore, "callOnce" | "run">,
    private readonly retention: AuditRetention,
  ) {}

  /** Appends entries with a single call to the script. Does not retry, so the caller must handle errors. */
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

  /**
   * Reads the end of the chain. Resolves to `undefined` if there is no chain.
   *
   * @throws LockkeeperError `unavailable` or `unknown_outcome`
   */
  async readEnd(): Promise<ChainEnd | undefined> {
    const args = this.#toArguments({ head: undefined, begin: undefined, links: [], compare: [] });
    const reply = await this.home.run((redis) => APPEND_SCRIPT.run(redis, [STREAM_KEY, END_KEY], args));
    return reply.outcome === "behind" ? reply.end : undefined;
  }

  /** Reads at most `count` entries after entry `number`, oldest first. @throws the same errors as `readEnd` */
  async readAfter(number: number, count = AUDIT_PAGE_SIZE): Promise<ChainLink[]> {
    // A negative `number` also selects an entry with the number 0. Redis rejects negative ids, and `(0-…` would exclude
    // that entry.
    const from = number < 0 ? "-" : `(${number}-18446744073709551615`;
    const found = await this.home.run((redis) => redis.xrange(STREAM_KEY, from, "+", "COUNT", count));
    return found.map(toLink);
  }

  /**
   * Reads at most `count` entries before entry `number`, newest first. `Infinity` starts at the end of the chain.
   *
   * @throws the same errors as `readEnd`
   */
  async readBefore(number: number, count = AUDIT_PAGE_SIZE): Promise<ChainLink[]> {
    if (number <= 0) return [];
    const from = Number.isFinite(number) ? `(${number}-0` : "+";
    const found = await this.home.run((redis) => redis.xrevrange(STREAM_KEY, from, "-", "COUNT", count));
    return found.map(toLink);
  }
}

/**
 * Converts a stream entry to a chain link. Because other clients can write to the stream, fields can be missing. They
 * become empty strings, which fail verification.
 */
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
