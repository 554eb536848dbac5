"use client";

import clsx from "clsx";
import { formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useTypicalDurations } from "@/lib/queries/typical-durations.ts";
import { findLongestHolder, rateDuration, selectSufficientSamples } from "../lock-facts/duration-rating.ts";
import { toLockPath } from "../lock-facts/lock-path.ts";
import { computeHeldTime, parseReservedHold } from "../lock-facts/lock-texts.ts";

/**
 * Shows the typical hold time of the key pattern, if it is known. Colors the text if the current hold exceeds the p95
 * of the key pattern.
 */
export function TypicalHeldTime({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const uiMessages = useMessages(ui);
  const now = useServerNow();
  const typical = useTypicalDurations(toLockPath(lock));
  const held = selectSufficientSamples(typical?.heldMs);
  if (typical === undefined || held === undefined) return null;
  const holder = findLongestHolder(lock);
  const isHold = lock.state === "held" && holder !== undefined && parseReservedHold(holder.owner) === null;
  const heldMs = isHold ? computeHeldTime(holder, now)?.ms : undefined;
  const rating = heldMs === undefined ? undefined : rateDuration(heldMs, held);
  const [p50, p95] = [formatSpan(held.p50, uiMessages), formatSpan(held.p95, uiMessages)];
  const isPast = rating !== undefined && rating.is !== "typical";
  return (
    <div
      className={clsx("text-xs leading-4 font-normal tracking-normal", isPast ? "text-warn" : "text-ink-3")}
      data-testid="typically-held"
    >
      {rating?.is === "times"
        ? messages.timesTypical(rating.times, p50, p95)
        : rating?.is === "long"
          ? messages.pastP95(p95)
          : messages.typicallyHeld(p50, p95)}
      <span className="sr-only">
        {messages.typicallyHeldBy(
          formatNumber(Math.round(held.samples)),
          <SafeText text={typical.pattern} />,
        )}
      </span>
    </div>
  );
}
