"use client";

import type { RefObject } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import type { Toast } from "@/components/ui/overlay/toast.tsx";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { viewTools } from "@/lib/i18n/en/view-tools.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { ListSettings } from "../views/saved-views.ts";
import { ListMenu, type ListMenuKind } from "./list-menu.tsx";
import { type LocksExport, useLocksExport } from "./use-export.ts";

interface ListToolsProps {
  /** The open menu; `none` if no menu is open. An export continues after its menu is closed. */
  open: ListMenuKind | "none";
  shown: ListSettings;
  /** Number of matching locks. */
  total: number;
  anchor: RefObject<HTMLElement | null>;
  showToast: Toast["showToast"];
  onClose(): void;
}

/** Shows the open menu and the progress of the export. Loaded when a menu is first opened. */
export function ListTools({ open, shown, total, anchor, showToast, onClose }: ListToolsProps) {
  const messages = useMessages(viewTools);
  const exporting = useLocksExport({
    onDone: ({ done }) => showToast(messages.exportDone(formatNumber(done))),
    onFailed: (error) =>
      showToast(error instanceof Error ? <ProblemText problem={error} /> : messages.exportFailed),
  });
  return (
    <>
      {open !== "none" && (
        <ListMenu
          kind={open}
          shown={shown}
          total={total}
          anchor={anchor}
          showToast={showToast}
          onExport={(format) => exporting.begin(format, shown)}
          onClose={onClose}
        />
      )}
      <ExportProgress exporting={exporting} total={total} />
    </>
  );
}

/** Shows the progress of an export at the bottom of the page, where it does not move any content. */
function ExportProgress({ exporting, total }: { exporting: LocksExport; total: number }) {
  const messages = useMessages(viewTools);
  const { progress, stop } = exporting;
  if (progress === null) return null;
  const expected = progress.total ?? total;
  const text = messages.exporting(formatNumber(progress.done), formatNumber(expected));
  return (
    <div className="fixed inset-x-0 bottom-5 z-50 flex justify-center px-4" data-testid="exporting">
      <div className="flex items-center gap-3 rounded-[10px] border border-line bg-panel py-2 pr-2 pl-3.5 shadow-sheet">
        <progress
          aria-label={messages.exportMenu}
          max={Math.max(1, expected)}
          value={Math.min(progress.done, expected)}
          className="h-1.5 w-32 accent-accent"
        />
        <span className="min-w-28 tabular-nums">{text}</span>
        <Button size="small" onClick={stop}>
          {messages.exportStop}
        </Button>
      </div>
    </div>
  );
}
