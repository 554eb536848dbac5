"use client";

import { createContext, type ReactNode, use, useState } from "react";
import { useLiveStore } from "@/lib/live/live-context.ts";

/** The filter, sort order and target of the list that the server rendered. */
export interface FirstRowsView {
  filter: string;
  sort: string;
  target: string | undefined;
}

interface FirstRowsState extends FirstRowsView {
  rows: ReactNode;
}

const FirstRowsContext = createContext<FirstRowsState | null>(null);

interface FirstRowsProviderProps {
  /** The rows that the server rendered; `null` if there are none. */
  first: FirstRowsState | null;
  children: ReactNode;
}

/**
 * Provides the rows that the server rendered into the document. If the live stream had already connected when the
 * component mounted, provides no rows, because they may be outdated.
 */
export function FirstRowsProvider({ first, children }: FirstRowsProviderProps) {
  const store = useLiveStore();
  const [isFirstPage] = useState(() => store.state().hello === null);
  return <FirstRowsContext value={isFirstPage ? first : null}>{children}</FirstRowsContext>;
}

/**
 * Returns the rows that the server rendered for the given filter, sort order and target; `null` if there are no such
 * rows.
 */
export function useFirstRows({ filter, sort, target }: FirstRowsView): ReactNode {
  const first = use(FirstRowsContext);
  if (first === null) return null;
  const isSameList = first.filter === filter && first.sort === sort && first.target === target;
  return isSameList ? first.rows : null;
}
