"use client";

import clsx from "clsx";
import { ListFilter, PanelLeftClose } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef } from "react";
import { Button } from "@/components/ui/button.tsx";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import { useUiFlag } from "@/components/ui/ui-flags.tsx";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";
import { facetSide } from "@/lib/i18n/en/facet-side.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { ClearFacetsButton } from "./clear-facets-button.tsx";
import { type FacetFilterProps, findFacetTerms } from "./facet-terms.ts";

const FacetPanel = dynamic(() => import("./facet-panel.tsx").then((module) => module.FacetPanel), {
  ssr: false,
});

/**
 * What narrows the list, beside it. Without a choice it is open where there is room: the style sheet decides, for the
 * server does not know the width, and nothing moves when the page wakes up.
 */
export function FacetSidebar(narrows: FacetFilterProps) {
  const messages = useMessages(facetSide);
  const count = findFacetTerms(narrows.filter).length;
  const [chosen, setOpen] = useUiFlag("facets");
  const isDesktop = useMediaQuery("(width >= 64rem)");
  const isWide = useMediaQuery("(width >= 90rem)");
  const isOpen = isDesktop && (chosen ?? isWide);
  const wasToggled = useRef(false);
  const toggle = (open: boolean) => {
    wasToggled.current = true;
    setOpen(open);
  };
  /** Each of the two buttons goes as the other comes; the focus goes over to it. */
  const takeFocus = (button: HTMLButtonElement | null) => {
    if (!wasToggled.current || button === null || button.offsetParent === null) return;
    wasToggled.current = false;
    button.focus();
  };
  return (
    <>
      {chosen !== true && (
        <div
          className={clsx(
            "w-[41px] shrink-0 border-r border-line bg-panel p-2 max-lg:hidden",
            chosen === null && "min-[90rem]:hidden",
          )}
        >
          <Button
            variant="quiet"
            size="small-icon"
            ref={takeFocus}
            aria-expanded={false}
            aria-label={messages.openWith(count)}
            title={messages.show}
            onClick={() => toggle(true)}
          >
            <ListFilter aria-hidden size={14} />
          </Button>
          {count > 0 && (
            <p
              aria-hidden
              title={messages.openWith(count)}
              className="text-center text-2xs font-medium text-accent"
            >
              {count}
            </p>
          )}
        </div>
      )}
      {chosen !== false && (
        <aside
          aria-label={messages.title}
          className={clsx(
            "flex w-56 shrink-0 flex-col border-r border-line bg-panel max-lg:hidden",
            chosen === null && "max-[89.99rem]:hidden",
          )}
        >
          <div className="flex h-11 shrink-0 items-center gap-1 pr-2 pl-3.5">
            <h2 className="flex-1 text-xs font-semibold">{messages.title}</h2>
            <ClearFacetsButton {...narrows} />
            <Button
              variant="quiet"
              size="small-icon"
              ref={takeFocus}
              aria-expanded
              aria-label={messages.hide}
              title={messages.hide}
              onClick={() => toggle(false)}
            >
              <PanelLeftClose aria-hidden size={14} />
            </Button>
          </div>
          {isOpen && (
            <ErrorBoundary name={messages.title}>
              <FacetPanel {...narrows} />
            </ErrorBoundary>
          )}
        </aside>
      )}
    </>
  );
}
