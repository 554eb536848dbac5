"use client";

import { useCallback, useId, useMemo, useState } from "react";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { facets } from "@/lib/i18n/en/facets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useNamespaces } from "@/lib/queries/facets.ts";
import { KeyTreeLevel } from "./key-tree-level.tsx";
import { moveTreeFocus } from "./key-tree-shortcuts.ts";
import { KeyTreeContext, type KeyTreeState } from "./key-tree-state.ts";

interface KeyTreeProps {
  /** The term of the current search that selects a branch; `undefined` if there is none. */
  chosen: string | undefined;
  onChoose(term: string | undefined): void;
}

/** Shows the key prefixes of the target as a tree. The tree contains all locks, regardless of the search. */
export function KeyTree({ chosen, onChoose }: KeyTreeProps) {
  const messages = useMessages(facets);
  const id = useId();
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [active, setActive] = useState<string | null>(null);
  const open = useCallback(
    (name: string, isOpen: boolean) => setOpened((before) => new Map(before).set(name, isOpen)),
    [],
  );
  const leave = useCallback(
    (name: string) => setActive((present) => (present === name ? null : present)),
    [],
  );
  const state = useMemo<KeyTreeState>(
    () => ({ opened, open, active, setActive, leave, chosen, onChoose }),
    [opened, open, active, leave, chosen, onChoose],
  );
  return (
    <section aria-labelledby={id}>
      <h3 id={id} title={messages.namesMeans} className="px-1.5 pb-0.5 text-2xs font-semibold text-ink-2">
        {messages.names}
      </h3>
      <KeyTreeContext value={state}>
        <KeyTreeRoot labelledBy={id} />
      </KeyTreeContext>
    </section>
  );
}

/** Shows the first level of the tree. Without branches, the element must not have the role `tree`. */
function KeyTreeRoot({ labelledBy }: { labelledBy: string }) {
  const messages = useMessages(facets);
  const { data, error, refetch } = useNamespaces("");
  if (data === undefined) return <ProblemNote problem={error} onAgain={() => void refetch()} />;
  if (data.items.length === 0) return <p className="px-1.5 text-2xs text-ink-3">{messages.noNames}</p>;
  return (
    <div role="tree" aria-labelledby={labelledBy} onKeyDown={moveTreeFocus}>
      <KeyTreeLevel prefix="" level={1} />
    </div>
  );
}
