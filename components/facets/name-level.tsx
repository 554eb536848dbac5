"use client";

import { formatNumber } from "@/components/ui/duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { NAMES_SHOWN, useNamespaces } from "@/lib/live/facets.ts";
import { facets } from "@/lib/words/en/facets.ts";
import { useWords } from "@/lib/words/words.tsx";
import { NameBranch } from "./name-branch.tsx";
import { indent } from "./name-tree-state.ts";

interface NameLevelProps {
  prefix: string;
  /** From 1. */
  level: number;
}

/** The branches after a prefix, by their names: they stay where they are while counts change. */
export function NameLevel({ prefix, level }: NameLevelProps) {
  const words = useWords(facets);
  const { data, error, refetch } = useNamespaces(prefix);
  if (data === undefined) {
    if (error !== null) return <ProblemNote problem={error} onAgain={() => void refetch()} />;
    return (
      <div
        className={
          level === 1 ? "mx-1.5 h-36 rounded-[7px] bg-line-soft/60" : "h-6 px-1.5 text-2xs/6 text-ink-3"
        }
        style={{ paddingLeft: `${indent(level)}px` }}
      >
        {level > 1 && words.loading}
      </div>
    );
  }
  const items = data.items.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  if (level === 1 && items.length === 0) {
    return <p className="px-1.5 text-2xs text-ink-3">{words.noNames}</p>;
  }
  return (
    <>
      {items.map((namespace, at) => (
        <NameBranch
          key={namespace.name}
          namespace={namespace}
          prefix={prefix}
          level={level}
          isFirst={level === 1 && at === 0}
          isOnly={level === 1 && items.length === 1 && data.without === 0}
        >
          <NameLevel prefix={namespace.name} level={level + 1} />
        </NameBranch>
      ))}
      {data.total > NAMES_SHOWN && (
        <p className="px-1.5 text-2xs/6 text-ink-3" style={{ paddingLeft: `${indent(level) + 24}px` }}>
          {words.moreNames(formatNumber(data.total - NAMES_SHOWN))}
        </p>
      )}
    </>
  );
}
