"use client";

import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { unlisted as english } from "@/lib/i18n/en/unlisted.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import {
  addViewTerms,
  findSystemView,
  getUnlistedCount,
  removeViewTerms,
  UNLISTED_VIEW,
} from "../views/system-views.ts";

interface UnlistedChipProps {
  filter: string;
  window: { total: number; held: number } | undefined;
  onFilter(filter: string): void;
}

/**
 * Renders the chip for unlisted locks, with their number if it is known. A click on the chip lists these locks, and a
 * second click hides them again. Renders nothing if there are no unlisted locks, unless the current view lists them.
 */
export function UnlistedChip({ filter, window, onFilter }: UnlistedChipProps) {
  const messages = useMessages(english);
  const unlisted = useLiveState().health?.unlisted ?? 0;
  const isShown = findSystemView(filter) === UNLISTED_VIEW;
  if (unlisted === 0 && !isShown) return null;
  const count = getUnlistedCount(filter, window, unlisted);
  return (
    <Button
      size="small"
      variant={isShown ? "plain" : "quiet"}
      className="shrink-0 whitespace-nowrap max-sm:h-11"
      aria-pressed={isShown}
      title={messages.why}
      onClick={() => onFilter(isShown ? removeViewTerms(filter) : addViewTerms(filter, UNLISTED_VIEW))}
    >
      {count === undefined ? messages.some : messages.count(count, formatNumber(count))}
    </Button>
  );
}
