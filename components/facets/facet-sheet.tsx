"use client";

import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { facetSide } from "@/lib/i18n/en/facet-side.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { ClearFacetsButton } from "./clear-facets-button.tsx";
import { FacetPanel } from "./facet-panel.tsx";
import type { FacetFilterProps } from "./facet-terms.ts";

/**
 * Shows the filter panel as a sheet over the list. Load this component on demand, because it includes the overlay code.
 */
export function FacetSheet({ onClose, ...narrows }: FacetFilterProps & { onClose(): void }) {
  const messages = useMessages(facetSide);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-40 flex w-[300px] max-w-[88vw] flex-col border-r border-line bg-panel shadow-sheet outline-none">
          <div className="mb-2 flex h-12 shrink-0 items-center gap-1 border-b border-line pr-2 pl-3.5">
            <Dialog.Title className="flex-1 font-semibold">{messages.title}</Dialog.Title>
            <ClearFacetsButton {...narrows} />
            <Dialog.Close
              render={
                <Button variant="quiet" size="icon" aria-label={messages.close} title={messages.close}>
                  <X aria-hidden size={15} />
                </Button>
              }
            />
          </div>
          <FacetPanel {...narrows} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
