"use client";

import { useCommands } from "@/components/app/command-registry.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { palette } from "@/lib/i18n/en/palette.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { FrozenRows } from "./frozen-rows/use-frozen-rows.ts";

interface LocksCommands {
  table: FrozenRows;
  filter: string;
  /** The lock in the active row; `undefined` if no row is active. */
  focusedLock: Lock | undefined;
  /** Why no lock can currently be released; `null` if locks can be released. */
  releaseBlocked: string | null;
  releaseLock(lock: Lock): void;
  open(lock: Lock): void;
  clear(): void;
}

/** Adds the actions on the list and on the active row to the command palette. */
export function useLocksCommands(locks: LocksCommands): void {
  const messages = useMessages(palette);
  const { table, filter, focusedLock, releaseBlocked, releaseLock, open, clear } = locks;
  const key = toVisibleText(focusedLock?.key ?? "");
  useCommands([
    ...(focusedLock === undefined
      ? []
      : [
          { id: "locks:open", name: messages.openKey(key), keys: "Enter", run: () => open(focusedLock) },
          {
            id: "locks:free",
            name: messages.releaseKey(key),
            keys: "r",
            blocked: releaseBlocked,
            run: () => releaseLock(focusedLock),
          },
        ]),
    {
      id: "locks:pause",
      name: table.paused ? messages.resume : messages.pause,
      keys: "p",
      run: table.toggle,
    },
    ...(filter === "" ? [] : [{ id: "locks:clear", name: messages.clearSearch, run: clear }]),
  ]);
}
