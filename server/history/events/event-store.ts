import type { HistoryEntry } from "../../../lib/contract/event.ts";
import { buildCompanionKey, HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { Script } from "../../redis/script.ts";
import type { EventRetention } from "./event-index.ts";
import { decodeEntry, encodeEntry, measureEntryBytes, type UnnumberedEntry } from "./stream-entry.ts";

/** The part of a home store connection that the event store uses. */
export type StoreConnection = Pick<HomeStore, "callOnce" | "close">;

/** The hold that permits appending. */
export interface Leadership {
  readonly token: string;
  readonly fence: string;
}

export type AppendResult =
  | { readonly outcome: "appended"; readonly ids: readonly string[] }
  | { readonly outcome: "behind"; readonly last: string | null }
  | { readonly outcome: "refused" };

export interface RecorderStamp {
  /** Time up to which everything is recorded, in milliseconds of the target's clock. */
  readonly until: number | null;
  /** Id of the last entry when the stamp was written; `null` if the stream was empty. */
  readonly last: string | null;
  /** The stamp as stored, which changes constantly while an instance records. */
  readonly text: string | null;
  /** Whether older entries were removed. */
  readonly isTruncated: boolean;
  /** The token in the recorder's lock. */
  readonly leader: string | null;
}

/** An entry to append, with an id only if the store lost it and it must be written again. */
export type AppendableEntry = UnnumberedEntry & { readonly id?: string };

export interface AppendRequest {
  /** Id of the last known entry. */
  readonly last: string | null;
  readonly until: number | null;
  /** Entries before this id are dropped; `null` if only the limits on count and age apply. */
  readonly cutAt: string | null;
  /** Whether older entries were removed. A store that has lost its data does not know this. */
  readonly isTruncated: boolean;
  readonly entries: readonly AppendableEntry[];
}

export interface StreamPage {
  readonly entries: HistoryEntry[];
  /** Id of the last entry that was read, even if invalid. */
  readonly last: string | null;
}

/** Maximum number of entries per append. Between the calls, the store serves other clients. */
const EVENT_APPEND_MAX = 200;
const APPEND_BYTES_MAX = 256 * 1024;
const PAGE_SIZE = 500;
const APPEND_SCRIPT = new Script<RedisArgument[], RedisArgument[], AppendResult>(
  new URL("append.lua", import.meta.url),
  parseAppendResult,
);

function parseAppendResult(reply: unknown): AppendResult {
  const [outcome, ...rest] = reply as string[];
  if (outcome === "appended") return { outcome, ids: rest };
  if (outcome === "behind") return { outcome, last: rest[0] || null };
  return { outcome: "refused" };
}

type StreamEntries = readonly [id: string, fields: string[]][];

/** The event stream of a target in the home store. */
export class EventStore {
  readonly lockKey: string;
  readonly #streamKey: string;
  readonly #stampKey: string;

  constructor(
    private readonly home: StoreConnection,
    readonly target: string,
    readonly retention: EventRetention,
  ) {
    this.lockKey = `${HOME_PREFIX}recorder:${target}`;
    this.#streamKey = `${HOME_PREFIX}events:${target}`;
    this.#stampKey = `${HOME_PREFIX}recorded:${target}`;
  }

  append(
    { token, fence }: Leadership,
    { last, until, cutAt, isTruncated, entries }: AppendRequest,
  ): Promise<AppendResult> {
    const { most, ms } = this.retention;
    const keys = [this.#streamKey, this.#stampKey, this.lockKey, buildCompanionKey(this.lockKey)];
    const args = entries.flatMap((entry) => encodeEntry(entry, entry.id));
    const truncated = isTruncated ? "1" : "";
    const given = [token, fence, last ?? "", until ?? "", most, ms, cutAt ?? "", truncated, ...args];
    return this.home.callOnce((redis) => APPEND_SCRIPT.run(redis, keys, given));
  }

  async readStamp(): Promise<RecorderStamp> {
    const [text = null, leader = null] = await this.home.callOnce((redis) =>
      redis.mget(this.#stampKey, this.lockKey),
    );
    const [, until, last] = /^(\d+) (\d{1,15}-\d{1,15})? /.exec(text ?? "") ?? [];
    return {
      until: until === undefined ? null : Number(until),
      last: last ?? null,
      text,
      isTruncated: text?.endsWith(" 1") ?? false,
      leader,
    };
  }

  /** Reads a page, oldest first. */
  async readPage(after: string | null): Promise<StreamPage> {
    const from = after === null ? "-" : `(${after}`;
    const found = await this.home.callOnce((redis) =>
      redis.xrange(this.#streamKey, from, "+", "COUNT", PAGE_SIZE),
    );
    return this.#toPage(after, found);
  }

  /** Waits for entries after an id. Do not use the connection for anything else. */
  async waitForPage(home: StoreConnection, after: string | null, waitMs: number): Promise<StreamPage> {
    const args = ["COUNT", PAGE_SIZE, "BLOCK", waitMs, "STREAMS", this.#streamKey, after ?? "0-0"] as const;
    const reply = await home.callOnce((redis) => redis.xread(...args));
    return this.#toPage(after, reply?.[0]?.[1] ?? []);
  }

  #toPage(after: string | null, found: StreamEntries): StreamPage {
    const entries = found.map(([id, fields]) => decodeEntry(this.target, id, fields));
    return {
      entries: entries.filter((entry) => entry !== undefined),
      last: found.at(-1)?.[0] ?? after,
    };
  }
}

/** Returns the first entries that fit into one append, but at least one. */
export function takeBatch<Entry>(
  entries: readonly Entry[],
  toEntry: (entry: Entry) => UnnumberedEntry,
): readonly Entry[] {
  let bytes = 0;
  const full = entries.findIndex((entry, at) => {
    bytes += measureEntryBytes(toEntry(entry));
    return at === EVENT_APPEND_MAX || (at > 0 && bytes > APPEND_BYTES_MAX);
  });
  return entries.slice(0, full < 0 ? entries.length : full);
}
