"use client";

import { Copy, Download } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import type { BriefNote } from "@/components/ui/toast.tsx";
import { views } from "@/lib/i18n/en/views.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { PauseButton } from "../frozen-rows/pause-button.tsx";
import type { Pausable } from "../frozen-rows/use-frozen-rows.ts";
import type { Shown } from "../views/saved-views.ts";

const ListTools = dynamic(() => import("./list-tools.tsx").then((module) => module.ListTools), {
  ssr: false,
});

interface LocksToolbarProps {
  table: Pausable;
  /** What the page shows; undefined: a search that is none. */
  shown: Shown | undefined;
  /** Says what was copied or exported. */
  tell: BriefNote["tell"];
}

/** How many there are, and what is done with the list as a whole; a phone has it beside the search. */
export function LocksToolbar({ table, shown, tell }: LocksToolbarProps) {
  const words = useWords(views);
  const { latest: window } = table;
  return (
    <div className="flex shrink-0 items-center gap-2 max-sm:hidden">
      {window !== undefined && shown !== undefined && shown.filter !== "" && (
        <span className="text-ink-3" data-testid="total">
          {words.ofHeld(formatNumber(window.total), formatNumber(window.held))}
        </span>
      )}
      {shown !== undefined && <ListButtons shown={shown} total={window?.total ?? 0} tell={tell} />}
      <PauseButton table={table} />
    </div>
  );
}

interface ListButtonsProps {
  shown: Shown;
  total: number;
  tell: BriefNote["tell"];
}

function ListButtons({ shown, total, tell }: ListButtonsProps) {
  const words = useWords(views);
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
      <Button look="quiet" size="icon" aria-label={words.copy} title={words.copyHint} {...show("copy")}>
        <Copy aria-hidden size={14} />
      </Button>
      <Button look="quiet" size="icon" aria-label={words.export} title={words.exportHint} {...show("export")}>
        <Download aria-hidden size={14} />
      </Button>
      {open !== "never" && (
        <ListTools
          tell={tell}
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
