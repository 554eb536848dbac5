"use client";

import clsx from "clsx";
import { Button } from "@/components/ui/button.tsx";
import { CELL_CLASS, DataTable } from "@/components/ui/data-table.tsx";
import { formatAgo, formatDate, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { ApiKey, ApiKeyUsage } from "@/lib/contract/accounts/api-key.ts";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { formatMebibytes } from "./key-quota.ts";

export type ApiKeyTask = { what: "make" } | { what: "rotate" | "revoke" | "quota"; key: ApiKey };

export function KeyTable({ keys, onTask }: { keys: readonly ApiKey[]; onTask(task: ApiKeyTask): void }) {
  const messages = useMessages(apiKeys);
  if (keys.length === 0) return <p className="px-4 py-3 text-ink-2">{messages.none}</p>;
  return (
    <DataTable label={messages.title} heads={[...Object.values(messages.heads), ""]}>
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} onTask={onTask} />
      ))}
    </DataTable>
  );
}

function KeyRow({ apiKey, onTask }: { apiKey: ApiKey; onTask(task: ApiKeyTask): void }) {
  const { id, name, verbs, targets, keys, state, createdAt, createdBy } = apiKey;
  const messages = useMessages(apiKeys);
  const { createdBy: madeBy } = useMessages(settings);
  const isOver = state !== "active";
  return (
    <tr className={clsx("border-t border-line-soft", isOver && "text-ink-3")}>
      <th
        scope="row"
        className={clsx(CELL_CLASS, "font-normal")}
        title={madeBy(formatDate(createdAt), toVisibleText(createdBy))}
      >
        <span className={clsx("font-medium", isOver && "line-through decoration-ink-3")}>
          <SafeText text={name} />
        </span>
        <div className="font-mono text-2xs text-ink-3">{id}</div>
      </th>
      <td className={CELL_CLASS} translate="no">
        {verbs.join(", ")}
      </td>
      <td className={CELL_CLASS}>{targets.includes("*") ? messages.all : <LineList texts={targets} />}</td>
      <td className={clsx(CELL_CLASS, "font-mono text-xs")}>
        {keys.includes("*") ? <span className="font-sans">{messages.all}</span> : <LineList texts={keys} />}
      </td>
      <td className={clsx(CELL_CLASS, "tabular-nums")}>
        <KeyUsage usage={apiKey.usage} />
      </td>
      <td className={CELL_CLASS}>
        <LastUsed at={apiKey.lastUsedAt} />
      </td>
      <td className={CELL_CLASS}>
        <KeyExpiry apiKey={apiKey} />
      </td>
      <td className={clsx(CELL_CLASS, "text-right whitespace-nowrap")}>
        {!isOver && (
          <span className="inline-flex gap-1.5">
            <Button
              size="small"
              onClick={() => onTask({ what: "quota", key: apiKey })}
              aria-label={messages.quotaNamed(toVisibleText(name))}
            >
              {messages.quota}
            </Button>
            <Button
              size="small"
              onClick={() => onTask({ what: "rotate", key: apiKey })}
              aria-label={messages.rotateNamed(toVisibleText(name))}
            >
              {messages.rotate}
            </Button>
            <Button
              size="small"
              onClick={() => onTask({ what: "revoke", key: apiKey })}
              aria-label={messages.revokeNamed(toVisibleText(name))}
            >
              {messages.revoke}
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}

const LINES_MAX = 3;

function LineList({ texts }: { texts: readonly string[] }) {
  const messages = useMessages(apiKeys);
  const more = texts.length - LINES_MAX;
  return (
    <ul title={texts.join("\n")}>
      {texts.slice(0, LINES_MAX).map((text) => (
        <li key={text}>
          <SafeText text={text} wrap />
        </li>
      ))}
      {more > 0 && <li className="font-sans text-ink-3">{messages.more(more)}</li>}
    </ul>
  );
}

/** Shows the number and size of an API key's current holds. A value that has reached its quota is colored. */
function KeyUsage({ usage: { holds, holdsMax, bytes, bytesMax } }: { usage: ApiKeyUsage }) {
  const messages = useMessages(apiKeys);
  return (
    <>
      <div className={clsx(holds >= holdsMax && "text-warn")}>{messages.holdUsage(holds, holdsMax)}</div>
      <div className={clsx("text-2xs", bytes >= bytesMax ? "text-warn" : "text-ink-3")}>
        {messages.byteUsage(formatMebibytes(bytes), formatMebibytes(bytesMax))}
      </div>
    </>
  );
}

function LastUsed({ at }: { at: number | null }) {
  const messages = useMessages(ui);
  const now = useServerNow();
  if (at === null) return <span className="text-ink-3">{messages.never}</span>;
  const isNow = now !== null && now - at < 60_000;
  return (
    <time dateTime={new Date(at).toISOString()}>
      {isNow ? messages.now : formatAgo((now ?? at) - at, messages)}
    </time>
  );
}

function KeyExpiry({ apiKey: { state, expiresAt, revokedAt, oldSecretUntil } }: { apiKey: ApiKey }) {
  const messages = useMessages(apiKeys);
  const uiMessages = useMessages(ui);
  const now = useServerNow();
  if (state === "revoked")
    return (
      <span className="text-bad">
        {revokedAt === null ? messages.revoked : messages.revokedAt(formatDate(revokedAt))}
      </span>
    );
  if (state === "expired") return <span className="text-bad">{messages.expired}</span>;
  const overlapMs = oldSecretUntil === null || now === null ? 0 : oldSecretUntil - now;
  return (
    <>
      {expiresAt === null ? (
        <span className="text-ink-3">{messages.neverExpires}</span>
      ) : (
        <time dateTime={new Date(expiresAt).toISOString()} title={formatDate(expiresAt)}>
          {now === null
            ? formatDate(expiresAt)
            : uiMessages.inTime(formatRemaining(expiresAt - now, uiMessages))}
        </time>
      )}
      {overlapMs > 0 && (
        <div className="text-2xs text-warn">
          {messages.oldSecretFor(formatRemaining(overlapMs, uiMessages))}
        </div>
      )}
    </>
  );
}
