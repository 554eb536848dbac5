"use client";

import clsx from "clsx";
import { PanelTopOpen } from "lucide-react";
import dynamic from "next/dynamic";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { focusIfToggled, useOverviewState } from "./use-overview-state.ts";

const OverviewDetails = dynamic(
  () => import("./overview-details.tsx").then((module) => module.OverviewDetails),
  {
    ssr: false,
    // The placeholder has the height of the loaded overview, so that the table does not move.
    loading: () => <div className="h-[46px] rounded-[10px] border border-line bg-panel @max-xl:h-[134px]" />,
  },
);

interface OverviewStripProps {
  /** Sets the filter of the table. */
  onFilter(filter: string): void;
}

/**
 * Shows the metrics of the target above the list of locks. If the overview is closed on a wide screen, shows the button
 * that opens it instead.
 */
export function OverviewStrip({ onFilter }: OverviewStripProps) {
  const { overview } = useMessages(shell).parts;
  const { isOpen, toggle, openClass, wideButtonClass } = useOverviewState();
  return (
    <>
      {wideButtonClass !== null && (
        <div className={wideButtonClass}>
          <Button
            size="small"
            variant="quiet"
            ref={focusIfToggled}
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
          <OverviewDetails onFilter={onFilter} onClose={() => toggle(false)} menuRef={focusIfToggled} />
        </section>
      )}
    </>
  );
}
