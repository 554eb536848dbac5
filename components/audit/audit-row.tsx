"use client";

import clsx from "clsx";
import { formatDate, formatDayClock, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { AuditItem } from "@/lib/contract/audit.ts";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { AuditDetails } from "./audit-details.tsx";
import { getOutcomeTone } from "./audit-texts.ts";

const TONES = { good: "text-ink", bad: "text-bad", open: "text-warn" } as const;

/** What was meant, and what came of it; opened, all that was seen and told. */
export function AuditRow({ item }: { item: AuditItem }) {
  const messages = useMessages(audit);
  const { at, who, action, target, key, outcome, reason, count } = item;
  return (
    <li className="border-b border-line-soft">
      <details className="group">
        <summary className="grid min-h-9 cursor-pointer list-none grid-cols-[112px_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1 outline-offset-[-2px] group-open:bg-selected hover:bg-bg @3xl:grid-cols-[120px_120px_140px_minmax(0,5fr)_minmax(0,4fr)_150px]">
          <time
            className="font-mono text-xs text-ink-3"
            dateTime={new Date(at).toISOString()}
            title={formatDate(at)}
          >
            {formatDayClock(at)}
          </time>
          <span className="truncate font-medium">
            <SafeText text={who.name} />
          </span>
          <span className="truncate @max-3xl:col-start-2">
            <SafeText text={action} />
            {count !== undefined && count > 1 && (
              <span className="text-ink-3">{` ${messages.times(formatNumber(count))}`}</span>
            )}
          </span>
          <span className="flex min-w-0 items-baseline gap-2 font-mono text-xs @max-3xl:hidden">
            {key !== undefined && (
              <span className="truncate">
                <SafeText text={key} />
              </span>
            )}
            {target !== undefined && (
              <span className="shrink-0 text-2xs text-ink-3">
                <SafeText text={target} />
              </span>
            )}
          </span>
          <span className="truncate text-ink-2 @max-3xl:hidden">
            {reason !== undefined && <SafeText text={reason} />}
          </span>
          <span
            className={clsx(
              "truncate text-right @max-3xl:col-start-3 @max-3xl:row-start-1",
              TONES[getOutcomeTone(outcome)],
            )}
          >
            {outcome === null ? messages.notRecorded : <SafeText text={outcome.code} />}
          </span>
        </summary>
        <AuditDetails item={item} />
      </details>
    </li>
  );
}
