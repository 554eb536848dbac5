"use client";

import dynamic from "next/dynamic";
import type { BulkWish } from "@/components/free/bulk-state.ts";
import { pathOf } from "@/components/lock/lock-path.ts";
import { Boundary } from "@/components/shell/boundary.tsx";
import type { BriefNote } from "@/components/ui/brief-note.tsx";
import { keyOfFields } from "@/lib/contract/key.ts";
import { shell } from "@/lib/words/en/shell.tsx";
import { useWords } from "@/lib/words/words.tsx";
import type { Copying } from "./use-copying.ts";
import type { Freeing } from "./use-freeing.ts";

const FreeSheet = dynamic(
  () => import("@/components/free/free-sheet.tsx").then((module) => module.FreeSheet),
  { ssr: false },
);
const BulkSheet = dynamic(
  () => import("@/components/free/bulk-sheet.tsx").then((module) => module.BulkSheet),
  { ssr: false },
);
const CopyMenu = dynamic(() => import("@/components/lock/copy-menu.tsx").then((module) => module.CopyMenu), {
  ssr: false,
});

interface LocksOverlaysProps {
  copying: Copying;
  freeing: Freeing;
  /** What the sheet for many is open for. */
  bulk: BulkWish | null;
  tell: BriefNote["tell"];
  onBulkClose(): void;
  /** Where the focus goes after the sheet for many. */
  backToTable(): HTMLElement | null;
}

/** What opens over the list. */
export function LocksOverlays(overlays: LocksOverlaysProps) {
  const { copying, freeing, bulk, tell, onBulkClose, backToTable } = overlays;
  const { parts } = useWords(shell);
  return (
    <>
      {copying.lock !== null && (
        <CopyMenu
          lockKey={keyOfFields(copying.lock)}
          lock={copying.lock}
          anchor={copying.anchor}
          tell={tell}
          onClose={copying.close}
        />
      )}
      {bulk !== null && (
        <Boundary name={parts.free} place="overlay">
          <BulkSheet wish={bulk} onClose={onBulkClose} finalFocus={backToTable} />
        </Boundary>
      )}
      {freeing.lock !== null && (
        <Boundary name={parts.free} place="overlay">
          <FreeSheet
            key={pathOf(freeing.lock)}
            lock={freeing.lock}
            onClose={freeing.close}
            finalFocus={freeing.backToRow}
          />
        </Boundary>
      )}
    </>
  );
}
