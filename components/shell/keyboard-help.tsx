"use client";

import { Dialog } from "@base-ui/react/dialog";
import { Button } from "@/components/ui/button.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import { keysHelp } from "@/lib/i18n/en/keys-help.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

type ShortcutName = Exclude<keyof typeof keysHelp, "namespace" | "title">;

const SHORTCUTS: readonly [keys: readonly string[], what: ShortcutName][] = [
  [["⌘K", "Ctrl K"], "everything"],
  [["/"], "search"],
  [["j", "↓"], "nextRow"],
  [["k", "↑"], "previousRow"],
  [["Enter"], "openLock"],
  [["r"], "releaseLock"],
  [["x"], "selectRow"],
  [["c"], "copyLock"],
  [["p"], "pause"],
  [["Space"], "pauseEvents"],
  [["←", "→"], "replayStep"],
  [["⇧ ←", "⇧ →"], "replayLongStep"],
  [["?"], "thisList"],
  [["Esc"], "close"],
];

export function KeyboardHelp({ onClose }: { onClose(): void }) {
  const messages = useMessages(keysHelp);
  const { close } = useMessages(ui);
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay" />
        <Dialog.Popup className="fixed top-24 z-40 left-1/2 w-[360px] max-w-[calc(100vw-2rem)] -translate-x-1/2 rounded-[12px] border border-line bg-panel p-5 shadow-sheet">
          <Dialog.Title className="mb-3 text-lg font-semibold tracking-tight">{messages.title}</Dialog.Title>
          <dl className="mb-4 grid grid-cols-[96px_1fr] gap-y-2">
            {SHORTCUTS.map(([keys, what]) => (
              <div key={what} className="contents">
                <dt className="flex items-start gap-1">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dt>
                <dd>{messages[what]}</dd>
              </div>
            ))}
          </dl>
          <Dialog.Close render={<Button>{close}</Button>} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
