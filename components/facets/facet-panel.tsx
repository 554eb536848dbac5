"use client";

import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { formatClock } from "@/components/ui/format-duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import type { Facet, FacetField } from "@/lib/contract/facet.ts";
import { facets as english } from "@/lib/i18n/en/facets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useNamespaces } from "@/lib/queries/facets.ts";
import { FacetList } from "./facet-list.tsx";
import { FacetSkeleton } from "./facet-skeleton.tsx";
import type { FacetFilterProps } from "./facet-terms.ts";
import { findFieldTerms, replaceFieldTerm } from "./facet-terms.ts";
import { KeyTree } from "./key-tree.tsx";
import { TargetLinks } from "./target-links.tsx";
import { useLiveFacets } from "./use-live-facets.ts";

/** The facets in display order. Facets that are most useful during an incident come first. */
const FACET_ORDER = [
  "liveness",
  "waiters",
  "service",
  "host",
  "session",
  "format",
  "kind",
] as const satisfies readonly FacetField[];

/** Shows the filters: the key prefixes, the facets of the current search, and links to the targets. */
export function FacetPanel({ filter, fault, onFilter }: FacetFilterProps) {
  const messages = useMessages(english);
  const counts = useLiveFacets(fault === undefined ? filter : undefined);
  const isTreeThere = useHasKeyTree();
  const [name] = findFieldTerms(filter, "key");
  // Shows all lists at the same time, because a list that appears later would move the others.
  const isThere = isTreeThere && (fault !== undefined || counts.data !== undefined || counts.error !== null);
  return (
    <StaleOverlay className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-2 pt-1 pb-6">
      {!isThere && <FacetSkeleton lines={[7, 5, 1, 6, 6]} />}
      {isThere && (
        <>
          <KeyTree chosen={name} onChoose={(term) => onFilter(replaceFieldTerm(filter, "key", term))} />
          {fault === undefined ? (
            <FacetLists counts={counts} filter={filter} onFilter={onFilter} />
          ) : (
            <p className="px-1.5 text-2xs text-ink-3">{messages.invalidSearch}</p>
          )}
          <TargetLinks filter={filter} />
        </>
      )}
    </StaleOverlay>
  );
}

/**
 * Returns whether the visible levels of the key tree have loaded or failed to load. Only the first level is visible at
 * first. If that level has a single branch, the branch opens automatically, so the second level is visible too.
 */
function useHasKeyTree(): boolean {
  const { data, error } = useNamespaces("");
  const [only] = data?.total === 1 && data.without === 0 ? data.items : [];
  const isOpened = only !== undefined && only.deeper > 0;
  const inside = useNamespaces(only?.name ?? "", isOpened);
  if (error !== null) return true;
  return data !== undefined && (!isOpened || inside.data !== undefined || inside.error !== null);
}

interface FacetListsProps extends Omit<FacetFilterProps, "fault"> {
  counts: ReturnType<typeof useLiveFacets>;
}

/**
 * Returns whether to show a facet. Few applications set a session, so the session facet appears only if a lock has a
 * session or the search filters by session.
 */
function isShown({ field, values }: Facet, filter: string): boolean {
  return field !== "session" || values.length > 0 || findFieldTerms(filter, field).length > 0;
}

function FacetLists({ counts: { data, error, refetch }, filter, onFilter }: FacetListsProps) {
  const messages = useMessages(english);
  if (data === undefined) return <ProblemNote problem={error} onAgain={() => void refetch()} />;
  const shown = FACET_ORDER.flatMap(
    (field) => data.facets.find((facet) => facet.field === field && isShown(facet, filter)) ?? [],
  ).filter(
    ({ field, values }) =>
      values.length > 0 ||
      field === "liveness" ||
      field === "waiters" ||
      findFieldTerms(filter, field).length > 0,
  );
  return (
    <>
      {error !== null && (
        <p role="status" className="px-1.5 text-2xs text-warn">
          {messages.staleCounts(formatClock(data.asOf))}
        </p>
      )}
      {shown.map((facet) => (
        <FacetList
          key={facet.field}
          facet={facet}
          filter={filter}
          onChoose={(term) => onFilter(replaceFieldTerm(filter, facet.field, term))}
        />
      ))}
    </>
  );
}
