"use client";

import { Button } from "@/components/ui/button.tsx";
import { facetSide } from "@/lib/i18n/en/facet-side.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { findFacetTerms, removeFacetTerms } from "./facet-terms.ts";

interface ClearFacetsButtonProps {
  filter: string;
  onFilter(filter: string): void;
}

/** A button that removes the filters selected in the panel and keeps the other terms of the search. */
export function ClearFacetsButton({ filter, onFilter }: ClearFacetsButtonProps) {
  const messages = useMessages(facetSide);
  const count = findFacetTerms(filter).length;
  if (count === 0) return null;
  return (
    <Button
      variant="quiet"
      size="small"
      className="text-2xs"
      title={messages.clearLong(count)}
      onClick={() => onFilter(removeFacetTerms(filter))}
    >
      {messages.clear(count)}
    </Button>
  );
}
