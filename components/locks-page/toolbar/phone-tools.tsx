"use client";

import { Ellipsis } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import type { BriefNote } from "@/components/ui/toast.tsx";
import { views } from "@/lib/i18n/en/views.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { PauseButton } from "../frozen-rows/pause-button.tsx";
import type { Pausable } from "../frozen-rows/use-frozen-rows.ts";
import type { Shown } from "../views/saved-views.ts";

const ListTools = dynamic(() => import("./list-tools.tsx").then((module) => module.ListTools), {
  ssr: false,
});

interface PhoneToolsProps {
  table: Pausable;
  /** What the page shows; undefined: a search that is none. */
  shown: Shown | undefined;
  tell: BriefNote["tell"];
}

/** The toolbar of a phone, beside the search: pausing, and all else behind one button. */
export function PhoneTools({ table, shown, tell }: PhoneToolsProps) {
  const words = useWords(views);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<"all" | "none" | "never">("never");
  return (
    <div className="flex shrink-0 gap-2 sm:hidden">
      <PauseButton table={table} />
      <Button
        ref={button}
        className="max-sm:size-11"
        aria-label={words.more}
        title={words.more}
        aria-haspopup="menu"
        aria-expanded={open === "all"}
        blocked={shown === undefined ? words.noSearch : null}
        onClick={() => setOpen(open === "all" ? "none" : "all")}
      >
        <Ellipsis aria-hidden size={16} />
      </Button>
      {open !== "never" && shown !== undefined && (
        <ListTools
          tell={tell}
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
