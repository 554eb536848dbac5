import { AuditEntry, type AuditItem, type AuditPage } from "../../../lib/contract/audit.ts";
import type { AuditQuery } from "../../../lib/contract/audit-query.ts";
import { BULK_ITEMS_MAX } from "../../../lib/contract/limits.ts";
import { createAuditMatcher } from "../../../lib/query/audit-matcher.ts";
import { placeRefusalsByTime } from "../../../lib/query/audit-order.ts";
import { CHAIN_START, type ChainLink, readEntryTime } from "./audit-chain.ts";
import { AUDIT_PAGE_SIZE, type AuditStore } from "./audit-store.ts";

/**
 * Maximum number of entries to scan for one page. If too few of them match, the page is shorter than `limit` but has a
 * `next` cursor.
 */
const SCAN_MAX = 20_000;
/**
 * Maximum number of entries between an intent and its outcome if they are on different pages: the entries of the
 * largest bulk release, and those of other actions at the same time. Outcomes follow later only if an action is slow on
 * a busy system.
 */
const READ_AHEAD = 2 * BULK_ITEMS_MAX + 10 * AUDIT_PAGE_SIZE;
/**
 * Tolerance in ms for the order of times in the chain. Entries are only roughly in order of time, because the clocks of
 * instances differ.
 */
const SKEW_MS = 3_600_000;

type Outcome = NonNullable<AuditItem["outcome"]>;

/** Reads the audit log. Joins intents with their outcomes. */
export class AuditReader {
  constructor(private readonly store: AuditStore) {}

  /** Reads a page of actions, newest first. @throws LockkeeperError `unavailable` or `unknown_outcome` */
  async readPage(query: AuditQuery): Promise<AuditPage> {
    const join = new OutcomeJoiner();
    if (query.cursor !== undefined) await this.#readAhead(Number(query.cursor), join);
    return await this.#readPage(query, join);
  }

  /** @param join has the outcomes in entry `cursor` and later entries */
  async #readPage({ limit, cursor, ...filter }: AuditQuery, join: OutcomeJoiner): Promise<AuditPage> {
    const end = await this.store.readEnd();
    if (end === undefined) return { items: [], complete: true, head: CHAIN_START };
    const { head, anchor } = end;
    const matches = createAuditMatcher(filter);
    const items: AuditItem[] = [];
    const finish = (rest: Pick<AuditPage, "next" | "complete">): AuditPage => ({
      ...{ items: placeRefusalsByTime(items), head },
      ...rest,
    });
    let at = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor);
    for (let scanned = 0; ; scanned += AUDIT_PAGE_SIZE) {
      const links = await this.store.readBefore(at);
      for (const link of links) {
        at = link.number;
        const item = join.add(link);
        if (item !== undefined && matches(item)) items.push(item);
        if (items.length === limit) return finish({ next: String(at), complete: false });
      }
      const last = links.at(-1);
      if (last === undefined) return finish({ complete: anchor.number === 0 });
      if (filter.from !== undefined && readEntryTime(last) < filter.from - SKEW_MS)
        return finish({ complete: true });
      if (scanned + AUDIT_PAGE_SIZE >= SCAN_MAX) return finish({ next: String(at), complete: false });
    }
  }

  /** Collects the outcomes in entry `from` and later entries, because they may belong to earlier intents. */
  async #readAhead(from: number, join: OutcomeJoiner): Promise<void> {
    let at = from - 1;
    for (let left = READ_AHEAD; left > 0; left -= AUDIT_PAGE_SIZE) {
      const links = await this.store.readAfter(at);
      for (const link of links) join.add(link);
      const last = links.at(-1);
      if (last === undefined || last.number <= at) return;
      at = last.number;
    }
  }

  /** Yields all pages of actions that match a filter, newest first. */
  async *iteratePages(filter: Omit<AuditQuery, "limit" | "cursor">): AsyncGenerator<AuditItem[]> {
    const join = new OutcomeJoiner();
    for (let cursor: string | undefined; ; ) {
      const at = cursor === undefined ? {} : { cursor };
      const page = await this.#readPage({ limit: AUDIT_PAGE_SIZE, ...at, ...filter }, join);
      yield page.items;
      if (page.next === undefined) return;
      cursor = page.next;
    }
  }

  /**
   * Yields the entries of the chain in pages, oldest first, without omissions: from the first entry at or after `from`
   * to the last entry at or before `to`. Both times are in Unix ms. Entries in between can have other times, because
   * entries are only roughly in order of time.
   */
  async *iterateChain(from = 0, to = Number.POSITIVE_INFINITY): AsyncGenerator<ChainLink[]> {
    const end = await this.#findLastNumber(to);
    let hasBegun = false;
    for await (const links of this.#iterateLinks()) {
      const over = links.findIndex(({ number }) => number > end);
      const within = over < 0 ? links : links.slice(0, over);
      const first = hasBegun ? 0 : within.findIndex((link) => !(readEntryTime(link) < from));
      if (first >= 0) {
        hasBegun = true;
        yield within.slice(first);
      }
      if (over >= 0) return;
    }
  }

  /** Returns the number of the last entry at or before `to` (Unix ms). Returns 0 if there is none. */
  async #findLastNumber(to: number): Promise<number> {
    if (!Number.isFinite(to)) return Number.POSITIVE_INFINITY;
    let found = 0;
    for await (const links of this.#iterateLinks()) {
      for (const link of links) {
        const at = readEntryTime(link);
        if (at > to + SKEW_MS) return found;
        if (!(at > to)) found = link.number;
      }
    }
    return found;
  }

  async *#iterateLinks(): AsyncGenerator<ChainLink[]> {
    for (let at = 0; ; ) {
      const links = await this.store.readAfter(at);
      const last = links.at(-1);
      // Numbers that exceed the exact range of doubles may not increase. Without this check, the loop would then not
      // end.
      if (last === undefined || last.number <= at) return;
      at = last.number;
      yield links;
    }
  }
}

/**
 * Joins intents with their outcomes. Entries must be added newest first, so that an outcome is added before its intent.
 */
class OutcomeJoiner {
  readonly #outcomes = new Map<string, Outcome>();
  /** Ids of outcomes that have been joined, the least recent first. At most `READ_AHEAD`. */
  readonly #joinedIds = new Set<string>();

  /** Adds an entry and returns its item. Returns `undefined` for an outcome or an invalid entry. */
  add({ text }: ChainLink): AuditItem | undefined {
    const entry = parseEntry(text);
    if (entry?.kind === "outcome") {
      const { number, at, outcome } = entry;
      this.#outcomes.set(entry.id, { number, at, ...outcome });
      return undefined;
    }
    if (entry?.kind !== "intent") return entry && toAuditItem(entry);
    const { kind, ...item } = entry;
    const outcome = this.#outcomes.get(entry.id) ?? null;
    if (outcome !== null) this.#retainOutcome(entry.id);
    return { ...item, outcome };
  }

  /**
   * Keeps a joined outcome for an earlier copy of the intent. Such a copy exists if the store lost entries while the
   * action was in progress. Forgets the oldest joined outcomes, so that an export does not keep all of them.
   */
  #retainOutcome(id: string): void {
    this.#joinedIds.add(id);
    if (this.#joinedIds.size <= READ_AHEAD) return;
    const [oldest = id] = this.#joinedIds;
    this.#joinedIds.delete(oldest);
    this.#outcomes.delete(oldest);
  }
}

/**
 * Parses an entry. Returns `undefined` if the entry is invalid, which is possible because other clients can write to
 * the stream. A verification of the chain reports such entries.
 */
function parseEntry(text: string): AuditEntry | undefined {
  try {
    return AuditEntry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const UNKNOWN_ACTOR = { kind: "nobody", id: "nobody", name: "nobody", verbs: [] };
const SYSTEM_ACTOR = { kind: "lockkeeper", id: "lockkeeper", name: "lockkeeper", verbs: [] };

/** Converts an entry that is neither an intent nor an outcome to an item. */
function toAuditItem(entry: Exclude<AuditEntry, { kind: "intent" | "outcome" }>): AuditItem {
  const { number, at, kind } = entry;
  const same = { number, at, id: `${kind}.${number}`, requestId: "", from: {} };
  if (kind === "refusals") {
    const { action, code, count, since, addresses, names } = entry;
    return {
      ...same,
      ...{ who: UNKNOWN_ACTOR, action, count },
      ...(names === undefined ? {} : { triedNames: sortByCount(names) }),
      outcome: { number, at, code, details: { since, addresses, ...(names === undefined ? {} : { names }) } },
    };
  }
  const details = kind === "chain_begun" ? { after: entry.after } : { known: entry.known };
  return { ...same, who: SYSTEM_ACTOR, action: kind, outcome: { number, at, code: "done", details } };
}

function sortByCount(names: Record<string, number>): string[] {
  return Object.entries(names)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name]) => name);
}
