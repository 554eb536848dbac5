"use client";

import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { BulkSelection } from "@/components/release/bulk/bulk-state.ts";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import type { Toast } from "@/components/ui/overlay/toast.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { parseKeyFields } from "@/lib/keys/key.ts";
import type { CopySheetState } from "./use-copy-sheet.ts";
import type { ReleaseSheetState } from "./use-release-sheet.ts";

const ReleaseSheet = createLazyOverlay(
  () => import("@/components/release/release-sheet.tsx").then((module) => module.ReleaseSheet),
  "idle",
);
const BulkReleaseSheet = createLazyOverlay(() =>
  import("@/components/release/bulk/bulk-release-sheet.tsx").then((module) => module.BulkReleaseSheet),
);
const CopyMenu = createLazyOverlay(() =>
  import("@/components/lock-facts/copy-menu.tsx").then((module) => module.CopyMenu),
);

interface LocksOverlaysProps {
  copySheet: CopySheetState;
  releaseSheet: ReleaseSheetState;
  /** The locks to release in the bulk release dialog; `null` if the dialog is closed. */
  bulk: BulkSelection | null;
  showToast: Toast["showToast"];
  onBulkClose(): void;
  /** Returns the element that receives the focus when the bulk release dialog closes. */
  backToTable(): HTMLElement | null;
}

export function LocksOverlays(overlays: LocksOverlaysProps) {
  const { copySheet, releaseSheet, bulk, showToast, onBulkClose, backToTable } = overlays;
  const { parts } = useMessages(shell);
  return (
    <>
      {copySheet.lock !== null && (
        <CopyMenu
          lockKey={parseKeyFields(copySheet.lock)}
          lock={copySheet.lock}
          anchor={copySheet.anchor}
          showToast={showToast}
          onClose={copySheet.close}
        />
      )}
      {bulk !== null && (
        <ErrorBoundary name={parts.release} place="overlay">
          <BulkReleaseSheet selection={bulk} onClose={onBulkClose} finalFocus={backToTable} />
        </ErrorBoundary>
      )}
      {releaseSheet.lock !== null && (
        <ErrorBoundary name={parts.release} place="overlay">
          <ReleaseSheet
            key={toLockPath(releaseSheet.lock)}
            lock={releaseSheet.lock}
            onClose={releaseSheet.close}
            finalFocus={releaseSheet.backToRow}
          />
        </ErrorBoundary>
      )}
    </>
  );
}
