"use client";

import { PanelTopOpen } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { focusIfToggled, useOverviewState } from "./use-overview-state.ts";

/** Renders the button that opens and closes the overview on phones. */
export function OverviewToggle() {
  const { overview } = useMessages(shell).parts;
  const { phoneButtonClass, toggle } = useOverviewState();
  if (phoneButtonClass === null) return null;
  return (
    <div className={phoneButtonClass}>
      <Button
        variant="quiet"
        className="max-sm:size-11"
        ref={focusIfToggled}
        aria-expanded={false}
        aria-label={overview}
        title={overview}
        onClick={() => toggle(true)}
      >
        <PanelTopOpen aria-hidden size={16} />
      </Button>
    </div>
  );
}
