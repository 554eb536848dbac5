"use client";

import { Greyed } from "@/components/shell/greyed.tsx";
import { formatClock } from "@/components/ui/duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { useFacets } from "@/lib/live/facets.ts";
import { facets as english } from "@/lib/words/en/facets.ts";
import { useWords } from "@/lib/words/words.tsx";
import { FacetList } from "./facet-list.tsx";
import type { Narrows } from "./facet-side.tsx";
import { withWord, wordsOf } from "./facet-words.ts";
import { NameTree } from "./name-tree.tsx";
import { Skeleton } from "./skeleton.tsx";
import { TargetLinks } from "./target-links.tsx";

/** Names on top, what the locks of the search have in common below, other targets last. */
export function FacetPanel({ filter, fault, onFilter }: Narrows) {
  const words = useWords(english);
  const [name] = wordsOf(filter, "key");
  return (
    <Greyed className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-2 pb-6">
      <NameTree chosen={name} onChoose={(word) => onFilter(withWord(filter, "key", word))} />
      {fault === undefined ? (
        <FacetLists filter={filter} onFilter={onFilter} />
      ) : (
        <p className="px-1.5 text-2xs text-ink-3">{words.fault}</p>
      )}
      <TargetLinks filter={filter} />
    </Greyed>
  );
}

function FacetLists({ filter, onFilter }: Omit<Narrows, "fault">) {
  const words = useWords(english);
  const { data, error, refetch } = useFacets(filter);
  if (data === undefined) {
    return error === null ? (
      <Skeleton lines={[2, 1, 5, 3]} />
    ) : (
      <ProblemNote problem={error} onAgain={() => void refetch()} />
    );
  }
  const shown = data.facets.filter(
    ({ field, values }) =>
      values.length > 0 || field === "verdict" || field === "waiters" || wordsOf(filter, field).length > 0,
  );
  return (
    <>
      {error !== null && (
        <p role="status" className="px-1.5 text-2xs text-warn">
          {words.older(formatClock(data.asOf))}
        </p>
      )}
      {shown.map((facet) => (
        <FacetList
          key={facet.field}
          facet={facet}
          filter={filter}
          onChoose={(word) => onFilter(withWord(filter, facet.field, word))}
        />
      ))}
    </>
  );
}
