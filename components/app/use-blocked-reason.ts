"use client";

import { shell } from "@/lib/i18n/en/shell.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useLive } from "@/lib/live/hooks.ts";
import { freeBlock, pictureBlock } from "./connection.ts";

/** Why nothing can be freed now; null when it can. */
export function useFreeBlock(): string | null {
  return freeBlock(useLive(), useWords(shell));
}

/** Why nothing can be done about what is shown; null when it is live. */
export function usePictureBlock(): string | null {
  return pictureBlock(useLive(), useWords(shell));
}
