"use client";

import { Ellipsis } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import type { Toast } from "@/components/ui/overlay/toast.tsx";
import { views } from "@/lib/i18n/en/views.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { ListPauseButton } from "../frozen-rows/pause-button.tsx";
import type { FrozenRows } from "../frozen-rows/use-frozen-rows.ts";
import type { ListSettings } from "../views/saved-views.ts";

const ListTools = dynamic(() => import("./list-tools.tsx").then((module) => module.ListTools), {
  ssr: false,
});

interface PhoneToolsProps {
  table: FrozenRows;
  /** The filter, sort order and columns of the list; `undefined` if the search is invalid. */
  shown: ListSettings | undefined;
  showToast: Toast["showToast"];
}

/** Shows the list tools on phones: a pause button, and a menu for copying and exporting. */
export function PhoneTools({ table, shown, showToast }: PhoneToolsProps) {
  const messages = useMessages(views);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<"all" | "none" | "never">("never");
  return (
    <div className="flex shrink-0 gap-2 sm:hidden">
      <ListPauseButton table={table} />
      <Button
        ref={button}
        className="max-sm:size-11"
        aria-label={messages.more}
        title={messages.more}
        aria-haspopup="menu"
        aria-expanded={open === "all"}
        blocked={shown === undefined ? messages.invalidSearch : null}
        onClick={() => setOpen(open === "all" ? "none" : "all")}
      >
        <Ellipsis aria-hidden size={16} />
      </Button>
      {open !== "never" && shown !== undefined && (
        <ListTools
          showToast={showToast}
          open={open}
          shown={shown}
          total={table.latest?.total ?? 0}
          anchor={button}
          onClose={() => setOpen("none")}
        />
      )}
    </div>
  );
}
