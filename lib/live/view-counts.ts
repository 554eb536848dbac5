import { COUNTED_FILTERS_MAX, COUNTED_PREFIXES_MAX } from "@/lib/contract/limits.ts";
import type { LiveView } from "@/lib/contract/live.ts";
import type { LiveCounts, LiveNamespaceCount } from "@/lib/contract/live-counts.ts";

/** The counts of locks at one point in time. All components that show counts read the same snapshot. */
export interface CountSnapshot extends Pick<LiveCounts, "held" | "waiting" | "needsAttention"> {
  /** Number of matching locks by filter. */
  readonly filters: ReadonlyMap<string, number>;
  /** Counts by namespace name. */
  readonly namespaces: ReadonlyMap<string, LiveNamespaceCount>;
}

/**
 * Applies a `counts` message to a snapshot and returns the new snapshot. A message that is not `complete` contains only
 * the namespaces whose counts have changed.
 */
export function applyCounts(before: CountSnapshot | undefined, message: LiveCounts): CountSnapshot {
  const { held, waiting, needsAttention, filters, namespaces, complete } = message;
  const byName = new Map(complete ? [] : before?.namespaces);
  for (const count of namespaces) byName.set(count.name, count);
  return {
    ...{ held, waiting, needsAttention },
    filters: new Map(filters.map(({ filter, total }) => [filter, total])),
    namespaces: byName,
  };
}

type CountedParts = Pick<LiveView, "counts" | "namespaces">;

/** Collects the requests for counts from the components of a page. Merges requests for the same filter or prefix. */
export class CountRequests {
  readonly #requests = new Set<Required<CountedParts>>();

  /** Adds a request for counts. @returns a function that withdraws the request */
  add({ counts = [], namespaces = [] }: CountedParts): () => void {
    const request = { counts, namespaces };
    this.#requests.add(request);
    return () => this.#requests.delete(request);
  }

  /** Returns the fields of the view that request the counts, up to the server's limits. Omits empty fields. */
  toView(): CountedParts {
    const requests = [...this.#requests];
    const counts = [...new Set(requests.flatMap((request) => request.counts))].slice(0, COUNTED_FILTERS_MAX);
    const namespaces = [...new Set(requests.flatMap((request) => request.namespaces))];
    return {
      ...(counts.length === 0 ? {} : { counts }),
      ...(namespaces.length === 0 ? {} : { namespaces: namespaces.slice(0, COUNTED_PREFIXES_MAX) }),
    };
  }
}
