"use client";

import clsx from "clsx";
import { formatDate, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { AuditItem } from "@/lib/contract/audit.ts";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { auditNames } from "@/lib/i18n/en/audit-names.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { AuditDetails } from "./audit-details.tsx";
import { findAuditName, formatAuditTime, getOutcomeTone } from "./audit-texts.ts";

const TONES = { good: "text-ink", bad: "text-bad", open: "text-warn" } as const;
const COLUMNS_CLASS =
  "@3xl:grid @3xl:grid-cols-[144px_150px_150px_minmax(0,5fr)_minmax(0,4fr)_130px] @3xl:items-center @3xl:gap-x-3";

/** Shows the column headers. Hidden in narrow windows, such as on phones, where each action takes two lines. */
export function AuditHeads() {
  const { heads } = useMessages(audit);
  return (
    <div
      aria-hidden
      className={clsx(
        COLUMNS_CLASS,
        "sticky top-0 z-10 hidden h-8 border-b border-line bg-bg px-4 font-medium text-ink-3",
      )}
    >
      {Object.entries(heads).map(([name, head]) => (
        <span key={name} className={name === "outcome" ? "text-right" : undefined}>
          {head}
        </span>
      ))}
    </div>
  );
}

/** Shows an action and its outcome. Expanding the row shows the details of the action. */
export function AuditRow({ item }: { item: AuditItem }) {
  const { at, key, target, reason } = item;
  return (
    <li className="border-b border-line-soft">
      <details className="group">
        <summary
          className={clsx(
            COLUMNS_CLASS,
            "flex min-h-13 cursor-pointer list-none flex-wrap content-center items-baseline gap-x-2 px-4 py-1 outline-offset-[-2px] group-open:bg-selected hover:bg-bg @3xl:min-h-9",
          )}
        >
          <time
            className="font-mono text-xs text-ink-3 @max-3xl:order-5"
            dateTime={new Date(at).toISOString()}
            title={formatDate(at)}
          >
            {formatAuditTime(at)}
          </time>
          <AuditActor item={item} />
          <AuditAction item={item} />
          <span className="flex min-w-0 items-baseline gap-2 font-mono text-xs @max-3xl:order-6 @max-3xl:flex-1 @max-3xl:justify-end">
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
          <AuditOutcomeCell item={item} />
          {/* The two lines on a phone: who did what with which outcome, and when to which lock. */}
          <span className="order-4 h-0 basis-full @3xl:hidden" />
        </summary>
        <AuditDetails item={item} />
      </details>
    </li>
  );
}

/** Shows the principal of the action and, for refused logins, the names that were tried. */
function AuditActor({ item: { who, triedNames = [] } }: { item: AuditItem }) {
  const messages = useMessages(audit);
  return (
    <span className="truncate">
      <span className="font-medium">
        <SafeText text={who.name} />
      </span>
      {triedNames.length > 0 && (
        <span className="text-ink-2"> {messages.tried(<SafeText text={triedNames.join(", ")} />)}</span>
      )}
    </span>
  );
}

function AuditAction({ item: { action, count } }: { item: AuditItem }) {
  const messages = useMessages(audit);
  const { actions } = useMessages(auditNames);
  return (
    <span className="truncate" title={action}>
      <SafeText text={findAuditName(actions, action)} />
      {count !== undefined && count > 1 && (
        <span className="text-ink-3">{` ${messages.times(formatNumber(count))}`}</span>
      )}
    </span>
  );
}

function AuditOutcomeCell({ item: { outcome, count } }: { item: AuditItem }) {
  const messages = useMessages(audit);
  const { outcomes } = useMessages(auditNames);
  // On phones, the outcome is at the end of the first line.
  return (
    <span
      title={outcome?.code}
      className={clsx(
        "truncate text-right @max-3xl:order-3 @max-3xl:ml-auto",
        TONES[getOutcomeTone(outcome, count)],
      )}
    >
      {outcome === null ? messages.notRecorded : <SafeText text={findAuditName(outcomes, outcome.code)} />}
    </span>
  );
}
