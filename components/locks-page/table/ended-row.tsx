"use client";

import clsx from "clsx";
import { formatAgo } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import type { RowEnding } from "../frozen-rows/frozen-list.ts";

/** Shows how the hold of a row ended and, if the event is known, how long ago. */
export function EndedRowText({ end }: { end: RowEnding }) {
  const messages = useMessages(table);
  const ago = useMessages(ui);
  const now = useServerNow();
  if (typeof end === "string") return <span className="text-ink-3">{messages.ends[end]}</span>;
  const isWrong = end.type === "evicted" || end.type === "force_released";
  return (
    <span className="block leading-[1.25]" data-testid="row-end">
      <span className={clsx("block truncate", isWrong ? "text-bad" : "text-ink-2")}>
        {end.by === undefined
          ? messages.formatEnd(end.type)
          : messages.releasedBy(<SafeText text={end.by} />)}
      </span>
      {now !== null && (
        <span data-second className="block truncate text-2xs text-ink-3">
          {formatAgo(now - end.at, ago)}
        </span>
      )}
    </span>
  );
}
