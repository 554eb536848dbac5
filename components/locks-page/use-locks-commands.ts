"use client";

import { useCommands } from "@/components/app/command-registry.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { palette } from "@/lib/i18n/en/palette.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { Pausable } from "./frozen-rows/use-frozen-rows.ts";

interface LocksCommands {
  table: Pausable;
  filter: string;
  /** The row in hand. */
  selected: Lock | undefined;
  /** Why nothing can be freed now. */
  freeBlocked: string | null;
  free(lock: Lock): void;
  open(lock: Lock): void;
  clear(): void;
}

/** What the keys of the table do, by name. */
export function useLocksCommands(locks: LocksCommands): void {
  const words = useWords(palette);
  const { table, filter, selected, freeBlocked, free, open, clear } = locks;
  const key = visibleText(selected?.key ?? "");
  useCommands([
    ...(selected === undefined
      ? []
      : [
          { id: "locks:open", name: words.openKey(key), keys: "Enter", run: () => open(selected) },
          {
            id: "locks:free",
            name: words.freeKey(key),
            keys: "r",
            blocked: freeBlocked,
            run: () => free(selected),
          },
        ]),
    {
      id: "locks:pause",
      name: table.paused ? words.goOn : words.pause,
      keys: "p",
      run: table.toggle,
    },
    ...(filter === "" ? [] : [{ id: "locks:clear", name: words.clearSearch, run: clear }]),
  ]);
}
