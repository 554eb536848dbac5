"use client";

import clsx from "clsx";
import { ListFilter } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { facetSide } from "@/lib/i18n/en/facet-side.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { FacetFilterProps } from "./facet-terms.ts";
import { findFacetTerms } from "./facet-terms.ts";
import { focusFacetToggle, useFacetVisibility } from "./use-facet-visibility.ts";

const FacetSheet = createLazyOverlay(() => import("./facet-sheet.tsx").then((module) => module.FacetSheet));

/**
 * A button that opens the filters: next to the list if there is room, otherwise in a sheet. The button is hidden while
 * the filters are open.
 */
export function FacetButton(narrows: FacetFilterProps) {
  const messages = useMessages(facetSide);
  const { setOpen, closedClass } = useFacetVisibility();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const count = findFacetTerms(narrows.filter).length;
  const open = () => {
    if (matchMedia("(width >= 64rem)").matches) setOpen(true);
    else setSheetOpen(true);
  };
  return (
    <>
      <Button
        // Not `ref={focusFacetToggle}`: React calls a new function after each render, which focuses the button once it
        // becomes visible. The button is always mounted, so React would call a stable function only once.
        ref={(button) => focusFacetToggle(button)}
        className={clsx("h-[34px]! max-sm:h-11! max-sm:min-w-11", closedClass)}
        aria-expanded={false}
        aria-label={messages.openWith(count)}
        title={messages.openWith(count)}
        onClick={open}
      >
        <ListFilter aria-hidden size={14} />
        <span className="max-sm:hidden">{messages.title}</span>
        {count > 0 && <span className="font-medium text-accent">{count}</span>}
      </Button>
      {isSheetOpen && (
        <ErrorBoundary name={messages.title} place="overlay">
          <FacetSheet {...narrows} onClose={() => setSheetOpen(false)} />
        </ErrorBoundary>
      )}
    </>
  );
}
