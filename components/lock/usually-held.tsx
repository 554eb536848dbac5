"use client";

import { formatNumber, formatSpan } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { useUsual } from "@/lib/live/hooks.ts";
import { SAMPLES_LEAST } from "./usual-facts.ts";

/** How long locks of this name are held as a rule, where that is known. */
export function UsuallyHeld({ path }: { path: string }) {
  const usual = useUsual(path);
  const held = usual?.heldMs;
  if (usual === undefined || held == null || held.samples < SAMPLES_LEAST) return null;
  return (
    <div className="text-xs leading-4 font-normal tracking-normal text-ink-3" data-testid="usually-held">
      usually {formatSpan(held.p50)} (p95 {formatSpan(held.p95)})
      <span className="sr-only">
        {" "}
        by {formatNumber(Math.round(held.samples))} holds of <SafeText text={usual.pattern} />
      </span>
    </div>
  );
}
