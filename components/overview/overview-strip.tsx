"use client";

import clsx from "clsx";
import { PanelTopOpen } from "lucide-react";
import dynamic from "next/dynamic";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { takeFocus, useUnfolding } from "./use-overview-state.ts";

const OpenOverview = dynamic(() => import("./overview-details.tsx").then((module) => module.OpenOverview), {
  ssr: false,
  // As high as what comes, so that the table does not move.
  loading: () => (
    <div className="h-[62px] rounded-[10px] border border-line bg-panel @max-3xl:h-[99px] @max-xl:h-[219px]" />
  ),
});

interface OverviewStripProps {
  /** Has the table show what this search finds. */
  onFilter(filter: string): void;
}

/** How it goes as a whole, above the locks themselves. */
export function OverviewStrip({ onFilter }: OverviewStripProps) {
  const { overview } = useWords(shell).parts;
  const { isOpen, toggle, openClass, deskKeyClass } = useUnfolding();
  return (
    <>
      {deskKeyClass !== null && (
        <div className={deskKeyClass}>
          <Button
            size="small"
            look="quiet"
            ref={takeFocus}
            aria-expanded={false}
            onClick={() => toggle(true)}
          >
            <PanelTopOpen aria-hidden size={14} />
            {overview}
          </Button>
        </div>
      )}
      {isOpen && (
        <section aria-label={overview} className={clsx("@container", openClass)}>
          <OpenOverview onFilter={onFilter} onClose={() => toggle(false)} closeRef={takeFocus} />
        </section>
      )}
    </>
  );
}
