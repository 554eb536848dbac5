"use client";

import clsx from "clsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { getPermitUse } from "./kind-summary.ts";

/** Shows how many permits of a semaphore are acquired, as text and as a bar. */
export function PermitsMeter({ lock }: { lock: Lock }) {
  const messages = useMessages(lockKinds);
  const use = getPermitUse(lock);
  if (use === null) return null;
  const { acquired, total } = use;
  const text = messages.permits(formatNumber(acquired), formatNumber(total));
  const isFull = acquired >= total;
  return (
    <div className="flex flex-col gap-1.5 border-b border-line-soft px-4 py-3.5">
      <div className="flex flex-wrap justify-between gap-x-3">
        <span className="font-semibold">{text}</span>
        <span className={isFull ? "text-warn" : "text-ink-2"}>
          {messages.available(formatNumber(Math.max(0, total - acquired)))}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: `meter` cannot be styled alike in all browsers */}
      <div
        role="meter"
        aria-label={messages.permitsMeter}
        aria-valuemin={0}
        aria-valuemax={Math.max(total, acquired)}
        aria-valuenow={acquired}
        aria-valuetext={text}
        className="h-2 overflow-hidden rounded-full bg-line-soft"
      >
        <div
          className={clsx("h-full rounded-full", isFull ? "bg-warn" : "bg-accent")}
          style={{ width: `${total <= 0 ? 100 : Math.min(100, (acquired / total) * 100)}%` }}
        />
      </div>
      {acquired > total && (
        <p className="text-warn">
          {messages.overcommitted(acquired - total, formatNumber(acquired - total))}
        </p>
      )}
    </div>
  );
}
