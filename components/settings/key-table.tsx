"use client";

import clsx from "clsx";
import { Button } from "@/components/ui/button.tsx";
import { DataTable, TD } from "@/components/ui/data-table.tsx";
import { formatAgo, formatDate, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { ApiKey } from "@/lib/contract/accounts/api-key.ts";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

export type KeyTask = { what: "make" } | { what: "rotate" | "revoke"; key: ApiKey };

export function KeyTable({ keys, onTask }: { keys: readonly ApiKey[]; onTask(task: KeyTask): void }) {
  const words = useWords(apiKeys);
  if (keys.length === 0) return <p className="px-4 py-3 text-ink-2">{words.none}</p>;
  return (
    <DataTable label={words.title} heads={[...Object.values(words.heads), ""]}>
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} onTask={onTask} />
      ))}
    </DataTable>
  );
}

function KeyRow({ apiKey, onTask }: { apiKey: ApiKey; onTask(task: KeyTask): void }) {
  const { id, name, verbs, targets, keys, state, createdAt, createdBy } = apiKey;
  const words = useWords(apiKeys);
  const { madeBy } = useWords(settings);
  const isOver = state !== "active";
  return (
    <tr className={clsx("border-t border-line-soft", isOver && "text-ink-3")}>
      <th
        scope="row"
        className={clsx(TD, "font-normal")}
        title={madeBy(formatDate(createdAt), visibleText(createdBy))}
      >
        <span className={clsx("font-medium", isOver && "line-through decoration-ink-3")}>
          <SafeText text={name} />
        </span>
        <div className="font-mono text-2xs text-ink-3">{id}</div>
      </th>
      <td className={TD} translate="no">
        {verbs.join(", ")}
      </td>
      <td className={TD}>{targets.includes("*") ? words.all : <Lines texts={targets} />}</td>
      <td className={clsx(TD, "font-mono text-xs")}>
        {keys.includes("*") ? <span className="font-sans">{words.all}</span> : <Lines texts={keys} />}
      </td>
      <td className={TD}>
        <LastUsed at={apiKey.lastUsedAt} />
      </td>
      <td className={TD}>
        <End apiKey={apiKey} />
      </td>
      <td className={clsx(TD, "text-right whitespace-nowrap")}>
        {!isOver && (
          <span className="inline-flex gap-1.5">
            <Button
              size="small"
              onClick={() => onTask({ what: "rotate", key: apiKey })}
              aria-label={words.rotateNamed(visibleText(name))}
            >
              {words.rotate}
            </Button>
            <Button
              size="small"
              onClick={() => onTask({ what: "revoke", key: apiKey })}
              aria-label={words.revokeNamed(visibleText(name))}
            >
              {words.revoke}
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}

const LINES_MAX = 3;

function Lines({ texts }: { texts: readonly string[] }) {
  const words = useWords(apiKeys);
  const more = texts.length - LINES_MAX;
  return (
    <ul title={texts.join("\n")}>
      {texts.slice(0, LINES_MAX).map((text) => (
        <li key={text}>
          <SafeText text={text} wrap />
        </li>
      ))}
      {more > 0 && <li className="font-sans text-ink-3">{words.more(more)}</li>}
    </ul>
  );
}

function LastUsed({ at }: { at: number | null }) {
  const words = useWords(ui);
  const now = useServerNow();
  if (at === null) return <span className="text-ink-3">{words.never}</span>;
  const isNow = now !== null && now - at < 60_000;
  return (
    <time dateTime={new Date(at).toISOString()}>
      {isNow ? words.now : formatAgo((now ?? at) - at, words)}
    </time>
  );
}

function End({ apiKey: { state, expiresAt, revokedAt, oldSecretUntil } }: { apiKey: ApiKey }) {
  const words = useWords(apiKeys);
  const { inTime } = useWords(ui);
  const now = useServerNow();
  if (state === "revoked")
    return (
      <span className="text-bad">
        {revokedAt === null ? words.revoked : words.revokedAt(formatDate(revokedAt))}
      </span>
    );
  if (state === "expired") return <span className="text-bad">{words.expired}</span>;
  const overlapMs = oldSecretUntil === null || now === null ? 0 : oldSecretUntil - now;
  return (
    <>
      {expiresAt === null ? (
        <span className="text-ink-3">{words.neverExpires}</span>
      ) : (
        <time dateTime={new Date(expiresAt).toISOString()} title={formatDate(expiresAt)}>
          {now === null ? formatDate(expiresAt) : inTime(formatRemaining(expiresAt - now))}
        </time>
      )}
      {overlapMs > 0 && (
        <div className="text-2xs text-warn">{words.oldSecretFor(formatRemaining(overlapMs))}</div>
      )}
    </>
  );
}
