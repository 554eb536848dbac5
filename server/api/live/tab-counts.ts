import { COUNTED_NAMESPACES_MAX } from "../../../lib/contract/limits.ts";
import type { LiveView } from "../../../lib/contract/live.ts";
import type { LiveCounts, LiveNamespaceCount } from "../../../lib/contract/live-counts.ts";
import { formatKey, type Key } from "../../../lib/keys/key.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import type { GroupQuery, HoldGrouping } from "../../watch/index/group-cache.ts";
import { HoldGroup } from "../../watch/index/hold-group.ts";
import { parseSortOrder, type SortOrder } from "../../watch/index/query-context.ts";
import type { Watcher } from "../../watch/watcher.ts";
import type { CpuBudget } from "../http/cpu-budgets.ts";
import type { LiveSnapshot } from "./live-snapshot.ts";

/**
 * Sort order of the queries that are only counted. All tabs use the same order, so that tabs with the same filter share
 * a query.
 */
const COUNT_ORDER: SortOrder = { field: "key", direction: 1 };
/** Sort order of namespaces. The same as the default of `GET /namespaces`, so that both share a cached grouping. */
const NAMESPACE_ORDER = { field: "holds", direction: -1 } as const;

/** Computes the counts of one view and remembers which counts the tab has received. */
export class TabCounts {
  #sentTotals = "";
  /** The JSON of each namespace count that was sent, or `undefined` if no counts have been sent. */
  #sentNamespaces: ReadonlyMap<Key, string> | undefined;

  constructor(
    private readonly view: LiveView,
    private readonly watcher: Watcher,
    private readonly cpu: CpuBudget,
  ) {}

  /**
   * Whether all filters are evaluated and all namespaces are grouped, so that no count requires an iteration over all
   * locks.
   */
  get isReady(): boolean {
    const { index } = this.watcher;
    return (
      this.#filters.every((filter) => index.isQueryReady(filter, this.#getOrder(filter))) &&
      this.#prefixes.every((prefix) => index.groups.getReady(buildNamespaceQuery(prefix)) !== undefined)
    );
  }

  /**
   * Prepares the counts that are not ready: evaluates the filters, then groups the locks by namespace. Resolves to
   * `false` if this was refused, for example because the caller has no CPU time left.
   */
  async prepare(): Promise<boolean> {
    try {
      await this.#prepareFilters();
      await this.#prepareNamespaces();
      return true;
    } catch (error) {
      if (!(error instanceof LockkeeperError)) throw error;
      return false;
    }
  }

  /** Returns the next `counts` message, or `undefined` if no count has changed since the previous message. */
  collectChanges(snapshot: LiveSnapshot): LiveCounts | undefined {
    const { locks: held, waiting, needsAttention } = snapshot.health;
    const totals = { held, waiting, needsAttention };
    const filters = this.#filters.flatMap((filter) => {
      const total = this.#countMatches(filter, totals);
      return total === undefined ? [] : [{ filter, total }];
    });
    const complete = this.#sentNamespaces === undefined;
    const namespaces = this.#collectNamespaces();
    const text = JSON.stringify([totals, filters]);
    if (text === this.#sentTotals && namespaces.length === 0) return undefined;
    this.#sentTotals = text;
    return { now: snapshot.now, ...totals, filters, namespaces, complete };
  }

  get #filters(): readonly string[] {
    return this.view.counts ?? [];
  }

  get #prefixes(): readonly string[] {
    return this.view.namespaces ?? [];
  }

  async #prepareFilters(): Promise<void> {
    const { index } = this.watcher;
    for (const filter of this.#filters) {
      if (index.isQueryReady(filter, this.#getOrder(filter))) continue;
      this.cpu.assertAvailable();
      await index.prepareQuery(filter, this.#getOrder(filter), undefined, this.cpu);
    }
  }

  async #prepareNamespaces(): Promise<void> {
    const { groups } = this.watcher.index;
    for (const prefix of this.#prefixes) {
      const query = buildNamespaceQuery(prefix);
      if (groups.getReady(query) === undefined) await groups.query({ ...query, owner: this.cpu });
    }
  }

  #getOrder(filter: string): SortOrder {
    return filter === this.view.filter ? parseSortOrder(this.view.sort) : COUNT_ORDER;
  }

  /**
   * Returns the number of locks that match the filter, or `undefined` if the filter is not evaluated. Uses a number
   * from `totals` if possible, so that the total and the filter show the same number.
   */
  #countMatches(filter: string, totals: Pick<LiveCounts, "held" | "needsAttention">): number | undefined {
    if (filter === "") return totals.held;
    if (filter === "is:needs_attention") return totals.needsAttention;
    const { index } = this.watcher;
    const order = this.#getOrder(filter);
    if (!index.isQueryReady(filter, order)) return undefined;
    return index.queryPage(filter, order, { offset: 0 }, 0).total;
  }

  /**
   * Returns the namespace counts that have changed. Includes namespaces that have been sent but are no longer among the
   * largest, so that the tab does not show their old counts.
   */
  #collectNamespaces(): LiveNamespaceCount[] {
    const before = this.#sentNamespaces;
    const after = new Map<Key, string>();
    const changes: LiveNamespaceCount[] = [];
    const add = (name: Key, group: HoldGroup) => {
      const count = toNamespaceCount(name, group);
      const text = JSON.stringify(count);
      after.set(name, text);
      if (before?.get(name) !== text) changes.push(count);
    };
    const groupings = this.#prefixes.flatMap(
      (prefix) => this.watcher.index.groups.getReady(buildNamespaceQuery(prefix)) ?? [],
    );
    for (const grouping of groupings) {
      const { keys } = grouping.sorted.slice(0, COUNTED_NAMESPACES_MAX);
      for (const name of keys) add(name, grouping.get(name) ?? new HoldGroup());
    }
    for (const name of before?.keys() ?? []) {
      if (after.has(name)) continue;
      const group = findGroup(groupings, name);
      if (group !== undefined) add(name, group);
      else changes.push(toNamespaceCount(name, new HoldGroup()));
    }
    this.#sentNamespaces = after;
    return changes;
  }
}

function findGroup(groupings: readonly HoldGrouping[], name: Key): HoldGroup | undefined {
  for (const grouping of groupings) {
    const group = grouping.get(name);
    if (group !== undefined) return group;
  }
  return undefined;
}

function buildNamespaceQuery(prefix: string): GroupQuery {
  return { by: { prefix, depth: 1 }, filter: "", order: NAMESPACE_ORDER };
}

function toNamespaceCount(name: Key, { holds, needsAttention, waiters }: HoldGroup): LiveNamespaceCount {
  return { name: formatKey(name), holds, needsAttention, waiting: waiters.count ?? 0 };
}
