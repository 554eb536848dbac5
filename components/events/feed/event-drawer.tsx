"use client";

import { Dialog } from "@base-ui/react/dialog";
import { events as english } from "@/lib/i18n/en/events.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { EventFeed } from "./event-panel.tsx";

/**
 * Shows the event panel as an overlay, for windows without room for the panel next to the table. Load this component
 * lazily, because it bundles the overlay code.
 */
export function EventDrawer({ onClose }: { onClose(): void }) {
  const { panel } = useMessages(english);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay" />
        <Dialog.Popup
          aria-label={panel.title}
          className="fixed inset-y-0 right-0 z-40 flex w-[320px] max-w-[88vw] flex-col border-l border-line bg-panel shadow-sheet outline-none"
        >
          <EventFeed className="flex min-h-0 flex-1 flex-col" onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
