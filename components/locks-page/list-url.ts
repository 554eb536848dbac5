import { describeFilterError } from "@/lib/query/filter.ts";
import { FILTER_CHARACTERS_MAX } from "../../lib/contract/limits.ts";
import { LOCK_SORT_PATTERN } from "../../lib/contract/lock-sort.ts";
import { DEFAULT_SORT } from "./columns/column-sorts.ts";

export interface ListQuery {
  filter: string;
  /** Why the filter is invalid; `undefined` if it is valid. An invalid filter is not sent to the server. */
  fault: string | undefined;
  sort: string;
}

/**
 * Parses the filter and the sort order from a URL. The URL is untrusted, so the filter is truncated to the maximum
 * length and an invalid sort order is replaced with the default.
 */
export function parseListUrl(q = "", sort = DEFAULT_SORT): ListQuery {
  const filter = q.slice(0, FILTER_CHARACTERS_MAX);
  return {
    filter,
    fault: describeFilterError(filter),
    sort: LOCK_SORT_PATTERN.test(sort) ? sort : DEFAULT_SORT,
  };
}
