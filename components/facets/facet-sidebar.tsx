"use client";

import clsx from "clsx";
import { PanelLeftClose } from "lucide-react";
import dynamic from "next/dynamic";
import { Button } from "@/components/ui/button.tsx";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";
import { facetSide } from "@/lib/i18n/en/facet-side.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { ClearFacetsButton } from "./clear-facets-button.tsx";
import type { FacetFilterProps } from "./facet-terms.ts";
import { focusFacetToggle, useFacetVisibility } from "./use-facet-visibility.ts";

const FacetPanel = dynamic(() => import("./facet-panel.tsx").then((module) => module.FacetPanel), {
  ssr: false,
});

/**
 * Shows the filters next to the list. While the filters are closed, the list uses their space, and `FacetButton` opens
 * them.
 */
export function FacetSidebar(narrows: FacetFilterProps) {
  const messages = useMessages(facetSide);
  const { chosen, setOpen, sidebarClass } = useFacetVisibility();
  const isDesktop = useMediaQuery("(width >= 64rem)");
  const isWide = useMediaQuery("(width >= 100rem)");
  if (chosen === false) return null;
  return (
    <aside
      aria-label={messages.title}
      className={clsx("flex w-56 shrink-0 flex-col border-r border-line bg-panel", sidebarClass)}
    >
      <div className="flex h-11 shrink-0 items-center gap-1 pr-2 pl-3.5">
        <h2 className="flex-1 text-xs font-semibold">{messages.title}</h2>
        <ClearFacetsButton {...narrows} />
        <Button
          variant="quiet"
          size="small-icon"
          ref={focusFacetToggle}
          aria-expanded
          aria-label={messages.hide}
          title={messages.hide}
          onClick={() => setOpen(false)}
        >
          <PanelLeftClose aria-hidden size={14} />
        </Button>
      </div>
      {isDesktop && (chosen ?? isWide) && (
        <ErrorBoundary name={messages.title}>
          <FacetPanel {...narrows} />
        </ErrorBoundary>
      )}
    </aside>
  );
}
