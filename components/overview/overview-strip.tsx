"use client";

import clsx from "clsx";
import { PanelTopOpen } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef } from "react";
import { Button } from "@/components/ui/button.tsx";
import { overview } from "@/lib/words/en/overview.ts";
import { useWords } from "@/lib/words/words.tsx";
import { useUnfolding } from "./use-unfolding.ts";

const OpenOverview = dynamic(() => import("./open-overview.tsx").then((module) => module.OpenOverview), {
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
  const words = useWords(overview);
  const { isOpen, set, openClass, closedClass } = useUnfolding();
  const wasToggled = useRef(false);
  const toggle = (open: boolean) => {
    wasToggled.current = true;
    set(open);
  };
  /** Each of the two buttons goes as the other comes; the focus goes over to it. */
  const takeFocus = (button: HTMLButtonElement | null) => {
    if (!wasToggled.current || button === null || button.offsetParent === null) return;
    wasToggled.current = false;
    button.focus();
  };
  return (
    <>
      {closedClass !== null && (
        <div className={closedClass}>
          <Button
            size="small"
            look="quiet"
            ref={takeFocus}
            aria-expanded={false}
            onClick={() => toggle(true)}
          >
            <PanelTopOpen aria-hidden size={14} />
            {words.title}
          </Button>
        </div>
      )}
      {isOpen && (
        <section aria-label={words.title} className={clsx("@container", openClass)}>
          <OpenOverview onFilter={onFilter} onClose={() => toggle(false)} closeRef={takeFocus} />
        </section>
      )}
    </>
  );
}
