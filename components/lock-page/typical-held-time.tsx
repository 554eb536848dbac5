"use client";

import { formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useUsual } from "@/lib/queries/typical-durations.ts";
import { toldOf } from "../lock-facts/duration-rating.ts";

/** How long locks of this name are held as a rule, where that is known. */
export function UsuallyHeld({ path }: { path: string }) {
  const words = useWords(lockPage);
  const usual = useUsual(path);
  const held = toldOf(usual?.heldMs);
  if (usual === undefined || held === undefined) return null;
  return (
    <div className="text-xs leading-4 font-normal tracking-normal text-ink-3" data-testid="usually-held">
      {words.usuallyHeld(formatSpan(held.p50), formatSpan(held.p95))}
      <span className="sr-only">
        {words.usuallyHeldBy(formatNumber(Math.round(held.samples)), <SafeText text={usual.pattern} />)}
      </span>
    </div>
  );
}
