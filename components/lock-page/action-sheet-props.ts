import type { Lock } from "@/lib/contract/lock.ts";

export interface ActionSheetProps {
  /** The state of the lock when the operator opened the dialog. Does not change afterwards. */
  lock: Lock;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}
