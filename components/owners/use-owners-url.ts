"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { FILTER_CHARACTERS_MAX } from "@/lib/contract/limits.ts";
import type { OwnerGrouping, OwnerSortField } from "@/lib/contract/owner.ts";

/**
 * The groupings of the owners page. The values are copied from the contract, because importing the contract would
 * bundle zod. The type checker rejects values that are not in the contract.
 */
export const OWNER_GROUPINGS = [
  "owner",
  "service",
  "host",
  "session",
] as const satisfies readonly OwnerGrouping[];
const FIELDS = [
  "name",
  "holds",
  "needs_attention",
  "held",
  "waiters",
] as const satisfies readonly OwnerSortField[];
const SORTS = [...FIELDS, ...FIELDS.map((field) => `-${field}` as const)] as const;

const PARSERS = {
  by: parseAsStringLiteral(OWNER_GROUPINGS).withDefault("owner"),
  q: parseAsString.withDefault(""),
  sort: parseAsStringLiteral(SORTS).withDefault("-needs_attention"),
};

export function useOwnersUrl() {
  const [{ by, q, sort }, set] = useQueryStates(PARSERS);
  const isDown = sort.startsWith("-");
  const field = isDown ? sort.slice(1) : sort;
  return {
    by,
    sort,
    field,
    order: isDown ? ("descending" as const) : ("ascending" as const),
    filter: q.slice(0, FILTER_CHARACTERS_MAX),
    setBy: (next: OwnerGrouping) => void set({ by: next }),
    setFilter: (filter: string) => void set({ q: filter === "" ? null : filter }),
    /**
     * Sorts by a column. The first click sorts names in ascending order and numbers in descending order. Further clicks
     * reverse the order.
     */
    sortBy(next: OwnerSortField) {
      const isDownNext = field === next ? !isDown : next !== "name";
      void set({ sort: isDownNext ? `-${next}` : next });
    },
  };
}

export type OwnersUrl = ReturnType<typeof useOwnersUrl>;
