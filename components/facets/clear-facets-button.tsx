"use client";

import { Button } from "@/components/ui/button.tsx";
import { facetSide } from "@/lib/i18n/en/facet-side.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { narrowingsIn, withoutNarrowings } from "./facet-terms.ts";

interface FacetClearProps {
  filter: string;
  onFilter(filter: string): void;
}

/** Takes away all that was chosen beside the list, and nothing that was typed. */
export function FacetClear({ filter, onFilter }: FacetClearProps) {
  const words = useWords(facetSide);
  const count = narrowingsIn(filter).length;
  if (count === 0) return null;
  return (
    <Button
      look="quiet"
      size="small"
      className="text-2xs"
      title={words.clearLong(count)}
      onClick={() => onFilter(withoutNarrowings(filter))}
    >
      {words.clear(count)}
    </Button>
  );
}
