import type { HistoryEntry } from "../../../lib/contract/event.ts";
import { buildCompanionKey, HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { Script } from "../../redis/script.ts";
import type { EventRetention } from "./event-index.ts";
import { decodeEntry, encodeEntry, measureEntryBytes, type UnnumberedEntry } from "./stream-entry.ts";

/** The methods of a home store connection that the event store uses. */
export type StoreConnection = Pick<HomeStore, "callOnce" | "close">;

/** The hold that makes an instance the recorder and permits it to append. */
export interface Leadership {
  readonly token: string;
  readonly fence: string;
}

export type AppendResult =
  | { readonly outcome: "appended"; readonly ids: readonly string[] }
  | { readonly outcome: "behind"; readonly last: string | null }
  | { readonly outcome: "refused" };

export interface RecorderStamp {
  /** Time up to which all events are recorded, in ms on the target's clock. `null` if unknown. */
  readonly until: number | null;
  /** Id of the last entry when the stamp was written. `null` if the stream was empty or there is no stamp. */
  readonly last: string | null;
  /** The stamp as stored. Changes constantly while an instance records. `null` if there is no stamp. */
  readonly text: string | null;
  /** Whether entries before the oldest entry were removed. */
  readonly isTruncated: boolean;
  /** The token in the recorder's lock. `null` if no instance holds the lock. */
  readonly leader: string | null;
}

/** An entry to append. `id` is set only for an entry that the store has lost and that must be written again. */
export type AppendableEntry = UnnumberedEntry & { readonly id?: string };

export interface AppendRequest {
  /** Id of the last entry that the recorder knows. `null` if it knows no entry. */
  readonly last: string | null;
  readonly until: number | null;
  /** The id before which entries are dropped to limit memory use. `null` if only the limits on number and age apply. */
  readonly cutAt: string | null;
  /** Whether entries before the oldest entry were removed. The store loses this information if it loses its data. */
  readonly isTruncated: boolean;
  readonly entries: readonly AppendableEntry[];
}

export interface StreamPage {
  readonly entries: HistoryEntry[];
  /**
   * Id of the last entry that was read, even if that entry is invalid and thus not in `entries`. If no entry was read,
   * the id after which the page starts.
   */
  readonly last: string | null;
}

/**
 * Maximum number of entries per append. More entries need several calls, between which Redis can serve other clients.
 */
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

  /** Reads a page of entries after an id, oldest first. */
  async readPage(after: string | null): Promise<StreamPage> {
    const from = after === null ? "-" : `(${after}`;
    const found = await this.home.callOnce((redis) =>
      redis.xrange(this.#streamKey, from, "+", "COUNT", PAGE_SIZE),
    );
    return this.#toPage(after, found);
  }

  /**
   * Reads a page of entries after an id. If there are none, waits for new entries for at most `waitMs`.
   *
   * @param home a connection that runs no other commands, because the wait blocks the connection
   */
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

/** Returns the first entries that fit into one append; at least one entry, unless `entries` is empty. */
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
