import type { Lock } from "@/lib/contract/lock.ts";

export interface ActionSheetProps {
  /** As it stood where the operator clicked. */
  lock: Lock;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}
