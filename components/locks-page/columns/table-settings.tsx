"use client";

import { Columns3Cog } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { TableColumns } from "./use-columns.ts";

const ColumnMenu = createLazyOverlay(() => import("./column-menu.tsx").then((module) => module.ColumnMenu));

export function TableSettings({ columns }: { columns: TableColumns }) {
  const messages = useMessages(table);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        ref={button}
        variant="quiet"
        size="small-icon"
        aria-label={messages.settings}
        title={messages.settings}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Columns3Cog aria-hidden size={14} />
      </Button>
      {open && <ColumnMenu columns={columns} button={button} onClose={() => setOpen(false)} />}
    </>
  );
}
