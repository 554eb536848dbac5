"use client";

import dynamic from "next/dynamic";
import { pathOf } from "@/components/lock-facts/lock-path.ts";
import type { BulkWish } from "@/components/release/bulk-state.ts";
import { Boundary } from "@/components/ui/error-boundary.tsx";
import type { BriefNote } from "@/components/ui/toast.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { keyOfFields } from "@/lib/keys/key.ts";
import type { Copying } from "./use-copy-sheet.ts";
import type { Freeing } from "./use-release-sheet.ts";

const FreeSheet = dynamic(
  () => import("@/components/release/release-sheet.tsx").then((module) => module.FreeSheet),
  { ssr: false },
);
const BulkSheet = dynamic(
  () => import("@/components/release/bulk-release-sheet.tsx").then((module) => module.BulkSheet),
  { ssr: false },
);
const CopyMenu = dynamic(
  () => import("@/components/lock-facts/copy-menu.tsx").then((module) => module.CopyMenu),
  {
    ssr: false,
  },
);

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
