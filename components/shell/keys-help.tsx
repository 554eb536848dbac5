"use client";

import { Dialog } from "@base-ui/react/dialog";
import { Button } from "@/components/ui/button.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";

const KEYS: readonly [keys: readonly string[], what: string][] = [
  [["⌘K", "Ctrl K"], "Every lock, page and command"],
  [["/"], "Search"],
  [["j", "↓"], "Next row"],
  [["k", "↑"], "Row before"],
  [["Enter"], "Open the lock"],
  [["r"], "Free the lock…"],
  [["x"], "Tick the row; with Shift, all up to it"],
  [["p"], "Pause, go on"],
  [["?"], "This list"],
  [["Esc"], "Close, leave the search"],
];

export function KeysHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay" />
        <Dialog.Popup className="fixed top-24 z-40 left-1/2 w-[360px] max-w-[calc(100vw-2rem)] -translate-x-1/2 rounded-[12px] border border-line bg-panel p-5 shadow-sheet">
          <Dialog.Title className="mb-3 text-lg font-semibold tracking-tight">Keys</Dialog.Title>
          <dl className="mb-4 grid grid-cols-[96px_1fr] gap-y-2">
            {KEYS.map(([keys, what]) => (
              <div key={what} className="contents">
                <dt className="flex gap-1">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <Dialog.Close render={<Button>Close</Button>} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
