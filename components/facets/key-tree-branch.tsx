"use client";

import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect } from "react";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Namespace } from "@/lib/contract/namespace.ts";
import { facets } from "@/lib/i18n/en/facets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { buildPrefixTerm } from "./facet-terms.ts";
import { getIndentPx, useKeyTree } from "./key-tree-state.ts";

interface KeyTreeBranchProps {
  namespace: Namespace;
  prefix: string;
  level: number;
  isFirst: boolean;
  /** Whether this is the only branch on the first level, so that it opens automatically. */
  isOnly: boolean;
  /** The next level of the tree. Rendered only while the branch is open. */
  children: ReactNode;
}

/**
 * Shows a key prefix, its number of held locks and, while the branch is open, the next level of the tree. The
 * accessible name also contains the number of locks that need attention and the number of waiters.
 */
export function KeyTreeBranch({ namespace, prefix, level, isFirst, isOnly, children }: KeyTreeBranchProps) {
  const { name, deeper } = namespace;
  const tree = useKeyTree();
  const { active, leave } = tree;
  useEffect(() => () => leave(name), [leave, name]);
  const label = useBranchDescription(namespace);
  const term = buildPrefixTerm(name);
  const isChosen = tree.chosen === term;
  const isOpen = deeper > 0 && (tree.opened.get(name) ?? (isOnly || isUnderPrefix(tree.chosen, term)));
  const choose = () => tree.onChoose(isChosen ? undefined : term);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "Enter" || event.key === " ") choose();
    else if (event.key === "ArrowRight" && deeper > 0 && !isOpen) tree.open(name, true);
    else if (event.key === "ArrowLeft" && isOpen) tree.open(name, false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-label={label}
      aria-selected={isChosen}
      aria-expanded={deeper > 0 ? isOpen : undefined}
      tabIndex={active === name || (active === null && isFirst) ? 0 : -1}
      onFocus={(event) => event.target === event.currentTarget && tree.setActive(name)}
      onKeyDown={onKeyDown}
      className="outline-none [&:focus-visible>:first-child]:outline-2 [&:focus-visible>:first-child]:-outline-offset-2 [&:focus-visible>:first-child]:outline-accent"
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the surrounding branch handles the keys */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the surrounding branch has the role */}
      <div
        onClick={choose}
        title={toVisibleText(name)}
        style={{ paddingLeft: `${getIndentPx(level)}px` }}
        className={clsx(
          "flex h-6 cursor-pointer items-center rounded-[5px] pr-1.5 hover:bg-line-soft max-sm:h-11",
          isChosen && "bg-selected font-medium",
        )}
      >
        <Chevron isThere={deeper > 0} isOpen={isOpen} onToggle={() => tree.open(name, !isOpen)} />
        <span className="min-w-0 flex-1 truncate font-mono text-xs">
          <SafeText text={name.slice(prefix.length)} />
        </span>
        <BranchCounts namespace={namespace} />
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a tree branch
        <div role="group">{children}</div>
      )}
    </div>
  );
}

/**
 * Returns whether the term `chosen` selects a branch below the branch of `term`. If so, the upper branch must be open
 * to show the selection.
 */
function isUnderPrefix(chosen: string | undefined, term: string): boolean {
  return chosen !== undefined && chosen !== term && chosen.startsWith(term.slice(0, -1));
}

function useBranchDescription({ name, holds, needsAttention, waiters }: Namespace): string {
  const messages = useMessages(facets);
  const parts = [
    messages.branch(toVisibleText(name), formatNumber(holds)),
    ...(needsAttention > 0 ? [messages.needsAttention(formatNumber(needsAttention))] : []),
    ...(waiters.count ? [messages.waiting(formatNumber(waiters.count))] : []),
  ];
  return parts.reduce(messages.join);
}

interface ChevronProps {
  isThere: boolean;
  isOpen: boolean;
  onToggle(): void;
}

function Chevron({ isThere, isOpen, onToggle }: ChevronProps) {
  if (!isThere) return <span className="w-6 shrink-0" />;
  return (
    <span
      aria-hidden
      className="grid size-6 shrink-0 place-items-center text-ink-3 hover:text-ink"
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      <ChevronRight
        size={13}
        className={clsx(
          "transition-transform duration-100 motion-reduce:transition-none",
          isOpen && "rotate-90",
        )}
      />
    </span>
  );
}

/**
 * Shows the number of held locks. If locks need attention, their number comes first. Otherwise, the number of waiters
 * comes first, if any.
 */
function BranchCounts({ namespace: { holds, needsAttention, waiters } }: { namespace: Namespace }) {
  const messages = useMessages(facets);
  return (
    <span className="flex shrink-0 items-baseline gap-1.5 pl-1.5 text-2xs font-normal">
      {needsAttention > 0 ? (
        <span className="text-bad">{messages.needsAttention(formatNumber(needsAttention))}</span>
      ) : (
        !!waiters.count && <span className="text-warn">{messages.waiting(formatNumber(waiters.count))}</span>
      )}
      <span className="text-sm text-ink-3">{formatNumber(holds)}</span>
    </span>
  );
}
