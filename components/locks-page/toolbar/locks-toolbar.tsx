"use client";

import { Copy, Download } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import type { Toast } from "@/components/ui/overlay/toast.tsx";
import { views } from "@/lib/i18n/en/views.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useListCounts } from "@/lib/queries/counts.ts";
import { parseFilter, selectsUnlisted } from "@/lib/query/filter.ts";
import { ListPauseButton } from "../frozen-rows/pause-button.tsx";
import type { FrozenRows } from "../frozen-rows/use-frozen-rows.ts";
import type { ListSettings } from "../views/saved-views.ts";

const ListTools = dynamic(() => import("./list-tools.tsx").then((module) => module.ListTools), {
  ssr: false,
});

interface LocksToolbarProps {
  table: FrozenRows;
  /** The filter, sort order and columns of the list; `undefined` if the search is invalid. */
  shown: ListSettings | undefined;
  /** Shows in a toast what was copied or exported. */
  showToast: Toast["showToast"];
}

/**
 * Shows the actions that apply to the whole list. For a search that excludes unlisted locks, also shows the number of
 * matching locks out of all held locks. Hidden on phones, where `PhoneTools` shows the actions.
 */
export function LocksToolbar({ table, shown, showToast }: LocksToolbarProps) {
  const messages = useMessages(views);
  const { latest: window } = table;
  const counts = useListCounts(shown?.filter ?? "");
  return (
    <div className="flex shrink-0 items-center gap-2 max-sm:hidden">
      {counts !== undefined &&
        shown !== undefined &&
        shown.filter !== "" &&
        selectsListedOnly(shown.filter) && (
          <span className="text-ink-3" data-testid="total">
            {messages.ofHeld(formatNumber(counts.total), formatNumber(counts.held))}
          </span>
        )}
      {shown !== undefined && <ListButtons shown={shown} total={window?.total ?? 0} showToast={showToast} />}
      <ListPauseButton table={table} />
    </div>
  );
}

/**
 * Returns whether a filter is set and selects listed locks only. If so, the toolbar shows the number of matches out of
 * all held locks.
 */
function selectsListedOnly(filter = ""): boolean {
  return filter !== "" && !selectsUnlisted(parseFilter(filter));
}

interface ListButtonsProps {
  shown: ListSettings;
  total: number;
  showToast: Toast["showToast"];
}

function ListButtons({ shown, total, showToast }: ListButtonsProps) {
  const messages = useMessages(views);
  const [open, setOpen] = useState<"copy" | "export" | "none" | "never">("never");
  const from = useRef<HTMLElement>(null);
  const show = (what: "copy" | "export") => ({
    "aria-haspopup": "menu" as const,
    "aria-expanded": open === what,
    onClick({ currentTarget }: { currentTarget: HTMLElement }) {
      from.current = currentTarget;
      setOpen(open === what ? "none" : what);
    },
  });
  return (
    <>
      <Button
        variant="quiet"
        size="icon"
        aria-label={messages.copy}
        title={messages.copyHint}
        {...show("copy")}
      >
        <Copy aria-hidden size={14} />
      </Button>
      <Button
        variant="quiet"
        size="icon"
        aria-label={messages.export}
        title={messages.exportHint}
        {...show("export")}
      >
        <Download aria-hidden size={14} />
      </Button>
      {open !== "never" && (
        <ListTools
          showToast={showToast}
          open={open}
          shown={shown}
          total={total}
          anchor={from}
          onClose={() => setOpen("none")}
        />
      )}
    </>
  );
}
