"use client";

import clsx from "clsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { facets } from "@/lib/i18n/en/facets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { NAMESPACES_SHOWN, useCountedNamespaces } from "@/lib/queries/facets.ts";
import { compareNames } from "./compare-names.ts";
import { KeyTreeBranch } from "./key-tree-branch.tsx";
import { getIndentPx } from "./key-tree-state.ts";

interface KeyTreeLevelProps {
  prefix: string;
  /** The level of the branches in the tree, starting at 1. */
  level: number;
}

/** Lists the branches below a prefix. Sorts them by name, so that they stay in place while counts change. */
export function KeyTreeLevel({ prefix, level }: KeyTreeLevelProps) {
  const messages = useMessages(facets);
  const { data, error } = useCountedNamespaces(prefix);
  // A plain `<div>` without a role, because a tree may contain only branches.
  if (data === undefined) {
    return (
      <div
        className={clsx("px-1.5 text-2xs/6", error === null ? "text-ink-3" : "text-bad")}
        style={{ paddingLeft: `${getIndentPx(level) + 24}px` }}
      >
        {error === null ? messages.loading : messages.unavailable}
      </div>
    );
  }
  const items = data.items.toSorted((one, other) => compareNames(one.name, other.name));
  return (
    <>
      {items.map((namespace, at) => (
        <KeyTreeBranch
          key={namespace.name}
          namespace={namespace}
          prefix={prefix}
          level={level}
          isFirst={level === 1 && at === 0}
          isOnly={level === 1 && items.length === 1 && data.without === 0}
        >
          <KeyTreeLevel prefix={namespace.name} level={level + 1} />
        </KeyTreeBranch>
      ))}
      {data.total > NAMESPACES_SHOWN && (
        <div className="px-1.5 text-2xs/6 text-ink-3" style={{ paddingLeft: `${getIndentPx(level) + 24}px` }}>
          {messages.moreNames(formatNumber(data.total - NAMESPACES_SHOWN))}
        </div>
      )}
    </>
  );
}
