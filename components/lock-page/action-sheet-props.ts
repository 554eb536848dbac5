import type { Lock } from "@/lib/contract/lock.ts";

export interface ActionSheetProps {
  /** The lock, as it was when the operator opened the dialog. */
  lock: Lock;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}
