"use client";

import clsx from "clsx";
import { X } from "lucide-react";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import { facetSide } from "@/lib/i18n/en/facet-side.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { findFacetTerms, removeTerm, splitTerm } from "./facet-terms.ts";
import { useFacetVisibility } from "./use-facet-visibility.ts";

export interface FilterChipsProps {
  filter: string;
  onFilter(filter: string): void;
}

/**
 * Shows the active filters as chips while the panel is closed. A click on a chip removes its term. Import the lazy
 * version from `lazy-filter-chips.tsx` instead of this component.
 */
export function FilterChips({ filter, onFilter }: FilterChipsProps) {
  const messages = useMessages(facetSide);
  const { closedClass } = useFacetVisibility();
  const terms = findFacetTerms(filter);
  return (
    <ul
      aria-label={messages.set}
      className={clsx(
        "flex min-w-0 shrink-0 gap-1 overflow-x-auto [scrollbar-width:none] sm:max-w-[45%] max-sm:order-last max-sm:w-full",
        closedClass,
      )}
    >
      {terms.map((term) => {
        const { field, value } = splitTerm(term);
        const label = messages.remove(toVisibleText(`${field}:${value}`));
        return (
          <li key={term} className="flex shrink-0 items-center">
            <button
              type="button"
              aria-label={label}
              title={label}
              onClick={() => onFilter(removeTerm(filter, term))}
              className="flex h-7 max-w-60 items-center gap-1.5 rounded-[7px] bg-line-soft px-2 hover:bg-line max-sm:h-11"
            >
              <span translate="no" className="text-ink-3">
                {field}
              </span>
              <span className="truncate">
                <SafeText text={value} />
              </span>
              <X aria-hidden size={12} className="shrink-0 text-ink-3" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
