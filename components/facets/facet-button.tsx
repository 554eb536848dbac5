"use client";

import { ListFilter } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import { createLazyOverlay } from "@/components/ui/lazy-overlay.tsx";
import { facetSide } from "@/lib/i18n/en/facet-side.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { FacetFilterProps } from "./facet-terms.ts";
import { findFacetTerms } from "./facet-terms.ts";

const FacetSheet = createLazyOverlay(() => import("./facet-sheet.tsx").then((module) => module.FacetSheet));

/** Where there is no room beside the list, what narrows it is behind this button. */
export function FacetSheetButton(narrows: FacetFilterProps) {
  const messages = useMessages(facetSide);
  const [isOpen, setOpen] = useState(false);
  const count = findFacetTerms(narrows.filter).length;
  return (
    <>
      <Button
        className="h-[34px] max-sm:h-11 max-sm:min-w-11 lg:hidden"
        aria-haspopup="dialog"
        aria-label={messages.openWith(count)}
        title={messages.openWith(count)}
        onClick={() => setOpen(true)}
      >
        <ListFilter aria-hidden size={14} />
        <span className="max-sm:hidden">{messages.title}</span>
        {count > 0 && <span className="text-accent">{count}</span>}
      </Button>
      {isOpen && (
        <ErrorBoundary name={messages.title} place="overlay">
          <FacetSheet {...narrows} onClose={() => setOpen(false)} />
        </ErrorBoundary>
      )}
    </>
  );
}
