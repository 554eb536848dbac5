import type { HistoryEntry } from "../../lib/contract/event.ts";
import { companionKeyOf, OURS_AT_HOME } from "../formats/keys.ts";
import type { Home } from "../home/home-store.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { Script } from "../redis/script.ts";
import type { Retention } from "./event-index.ts";
import { argumentsOf, entryOf, type UnnumberedEntry } from "./stream-entry.ts";

/** A connection to the home store. */
export type Store = Pick<Home, "call" | "close">;

/** Who may append. */
export interface Lead {
  readonly owner: string;
  readonly fence: string;
}

export type Appended =
  | { readonly outcome: "appended"; readonly ids: readonly string[] }
  | { readonly outcome: "behind"; readonly last: string | null }
  | { readonly outcome: "refused" };

export interface Stamp {
  /** All that happened until then is recorded, in ms of the target's clock. */
  readonly until: number | null;
  /** As it stands in Redis: it changes as long as somebody records. */
  readonly text: string | null;
  /** Whether older entries were there once. */
  readonly isCut: boolean;
  /** Whoever holds the recorder's lock. */
  readonly ledBy: string | null;
}

/** An entry that had an id already, and was lost with the data of the store. */
export type Appendable = UnnumberedEntry & { readonly id?: string };

export interface Append {
  /** The id of the last entry that is known. */
  readonly last: string | null;
  readonly until: number | null;
  readonly entries: readonly Appendable[];
}

export interface Page {
  readonly entries: HistoryEntry[];
  /** The last one that was read, also when it was no entry of ours. */
  readonly last: string | null;
}

/** How many entries one call appends at most: the store serves others meanwhile. */
export const APPEND_MAX = 200;
const PAGE = 500;
const APPEND = new Script<RedisArgument[], RedisArgument[], Appended>(
  new URL("append.lua", import.meta.url),
  appendedOf,
);

function appendedOf(reply: unknown): Appended {
  const [outcome, ...rest] = reply as string[];
  if (outcome === "appended") return { outcome, ids: rest };
  if (outcome === "behind") return { outcome, last: rest[0] || null };
  return { outcome: "refused" };
}

type Entries = readonly [id: string, fields: string[]][];

/** The stream of a target's events in the home store. */
export class EventStore {
  readonly lock: string;
  readonly #stream: string;
  readonly #stamp: string;

  constructor(
    private readonly home: Store,
    readonly target: string,
    readonly retention: Retention,
  ) {
    this.lock = `${OURS_AT_HOME}recorder:${target}`;
    this.#stream = `${OURS_AT_HOME}events:${target}`;
    this.#stamp = `${OURS_AT_HOME}recorded:${target}`;
  }

  append({ owner, fence }: Lead, { last, until, entries }: Append): Promise<Appended> {
    const { most, ms } = this.retention;
    const keys = [this.#stream, this.#stamp, this.lock, companionKeyOf(this.lock)];
    const words = entries.flatMap((entry) => argumentsOf(entry, entry.id));
    const given = [owner, fence, last ?? "", until ?? "", most, ms, ...words];
    return this.home.call((redis) => APPEND.run(redis, keys, given));
  }

  async stamp(): Promise<Stamp> {
    const [text = null, owner = null] = await this.home.call((redis) => redis.mget(this.#stamp, this.lock));
    const [, until] = /^(\d+) /.exec(text ?? "") ?? [];
    return {
      until: until === undefined ? null : Number(until),
      text,
      isCut: text?.endsWith(" 1") ?? false,
      ledBy: owner,
    };
  }

  /** Oldest first. */
  async page(after: string | null): Promise<Page> {
    const from = after === null ? "-" : `(${after}`;
    const found = await this.home.call((redis) => redis.xrange(this.#stream, from, "+", "COUNT", PAGE));
    return this.#pageOf(after, found);
  }

  /** Waits for what comes after an id, on a connection that does nothing else. */
  async next(home: Store, after: string | null, waitMs: number): Promise<Page> {
    const words = ["COUNT", PAGE, "BLOCK", waitMs, "STREAMS", this.#stream, after ?? "0-0"] as const;
    const reply = await home.call((redis) => redis.xread(...words));
    return this.#pageOf(after, reply?.[0]?.[1] ?? []);
  }

  #pageOf(after: string | null, found: Entries): Page {
    const entries = found.map(([id, fields]) => entryOf(this.target, id, fields));
    return {
      entries: entries.filter((entry) => entry !== undefined),
      last: found.at(-1)?.[0] ?? after,
    };
  }
}
