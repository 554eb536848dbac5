import { AuditEntry, type AuditItem, type AuditPage, type AuditQuery } from "../../../lib/contract/audit.ts";
import { auditMatcher } from "../../../lib/query/audit-matcher.ts";
import { atOf, BEGINNING, type Link } from "./audit-chain.ts";
import { type AuditStore, PAGE } from "./audit-store.ts";

/** How many entries one page looks at: whoever looks for what is rare asks again with `next`. */
const SCAN_MAX = 20_000;
/** An outcome stands this many entries behind its intent at most, but for what takes long among much else. */
const LOOK_AHEAD = 2 * PAGE;
/** Clocks of instances differ, so times in the chain are nearly in order only. */
const SKEW_MS = 3_600_000;

type Outcome = NonNullable<AuditItem["outcome"]>;

/** Looks up what was done: intents and their outcomes, as one. */
export class AuditReader {
  constructor(private readonly store: AuditStore) {}

  /** @throws LockkeeperError unavailable, unknown_outcome */
  async page({ limit, cursor, ...filter }: AuditQuery): Promise<AuditPage> {
    const end = await this.store.end();
    if (end === undefined) return { items: [], complete: true, head: BEGINNING };
    const { head, anchor } = end;
    const matches = auditMatcher(filter);
    const join = new Join();
    const items: AuditItem[] = [];
    let at = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor);
    if (cursor !== undefined) for (const link of await this.store.after(at - 1, LOOK_AHEAD)) join.add(link);
    for (let scanned = 0; ; scanned += PAGE) {
      const links = await this.store.before(at);
      for (const link of links) {
        at = link.number;
        const item = join.add(link);
        if (item !== undefined && matches(item)) items.push(item);
        if (items.length === limit) return { items, next: String(at), complete: false, head };
      }
      const last = links.at(-1);
      if (last === undefined) return { items, complete: anchor.number === 0, head };
      if (filter.from !== undefined && atOf(last) < filter.from - SKEW_MS)
        return { items, complete: true, head };
      if (scanned + PAGE >= SCAN_MAX) return { items, next: String(at), complete: false, head };
    }
  }

  /** Pages until there are no more, newest first. */
  async *pages(filter: Omit<AuditQuery, "limit" | "cursor">): AsyncGenerator<AuditItem[]> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.page({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }), ...filter });
      yield page.items;
      if (page.next === undefined) return;
      cursor = page.next;
    }
  }

  /** The chain as it is, oldest first: from the first entry of the time to the last one before it is over. */
  async *chain(from = 0, to = Number.POSITIVE_INFINITY): AsyncGenerator<Link[]> {
    let hasBegun = false;
    for (let at = 0; ; ) {
      const links = await this.store.after(at);
      const last = links.at(-1);
      // A number that is too large to be told from the next one leads nowhere.
      if (last === undefined || last.number <= at) return;
      at = last.number;
      const first = hasBegun ? 0 : links.findIndex((link) => !(atOf(link) < from));
      if (first < 0) continue;
      hasBegun = true;
      const over = links.findIndex((link, place) => place >= first && atOf(link) > to);
      yield links.slice(first, over < 0 ? undefined : over);
      if (over >= 0) return;
    }
  }
}

/** Puts outcomes to their intents, read from the newest on. */
class Join {
  readonly #outcomes = new Map<string, Outcome>();

  /** The item that an entry makes. */
  add({ text }: Link): AuditItem | undefined {
    const entry = entryOf(text);
    if (entry?.kind === "outcome") {
      const { number, at, outcome } = entry;
      this.#outcomes.set(entry.id, { number, at, ...outcome });
      return undefined;
    }
    if (entry?.kind !== "intent") return entry && itemOf(entry);
    const { kind, ...item } = entry;
    return { ...item, outcome: this.#outcomes.get(entry.id) ?? null };
  }
}

/** Anybody may have written to the stream: what does not read as an entry is for `verify` to tell. */
function entryOf(text: string): AuditEntry | undefined {
  try {
    return AuditEntry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const NOBODY = { kind: "nobody", id: "nobody", name: "nobody", verbs: [] };
const OURSELVES = { kind: "lockkeeper", id: "lockkeeper", name: "lockkeeper", verbs: [] };

/** What stands in the chain by itself. */
function itemOf(entry: Exclude<AuditEntry, { kind: "intent" | "outcome" }>): AuditItem {
  const { number, at, kind } = entry;
  const same = { number, at, id: `${kind}.${number}`, requestId: "", from: {} };
  if (kind === "refusals") {
    const { action, code, count, since, addresses } = entry;
    return {
      ...same,
      who: NOBODY,
      action,
      count,
      outcome: { number, at, code, details: { since, addresses } },
    };
  }
  const details = kind === "chain_begun" ? { after: entry.after } : { known: entry.known };
  return { ...same, who: OURSELVES, action: kind, outcome: { number, at, code: "done", details } };
}
