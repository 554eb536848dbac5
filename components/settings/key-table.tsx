import clsx from "clsx";
import { Button } from "@/components/ui/button.tsx";
import { DataTable, TD } from "@/components/ui/data-table.tsx";
import { formatAgo, formatDate, formatRemaining } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { ApiKey } from "@/lib/contract/api-key.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import type { KeyTask } from "./keys-settings.tsx";

const HEADS = ["Name", "May", "Targets", "Keys", "Last used", "Expires", ""] as const;

export function KeyTable({ keys, onTask }: { keys: readonly ApiKey[]; onTask(task: KeyTask): void }) {
  if (keys.length === 0) {
    return (
      <p className="px-4 py-3 text-ink-2">
        No keys yet. Apps can use the root key, but that one may do everything: make one for each app instead.
      </p>
    );
  }
  return (
    <DataTable label="API keys" heads={HEADS}>
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} onTask={onTask} />
      ))}
    </DataTable>
  );
}

function KeyRow({ apiKey, onTask }: { apiKey: ApiKey; onTask(task: KeyTask): void }) {
  const { id, name, verbs, targets, keys, state, createdAt, createdBy } = apiKey;
  const isOver = state !== "active";
  return (
    <tr className={clsx("border-t border-line-soft", isOver && "text-ink-3")}>
      <th
        scope="row"
        className={clsx(TD, "font-normal")}
        title={`Made ${formatDate(createdAt)} by ${createdBy}`}
      >
        <span className={clsx("font-medium", isOver && "line-through decoration-ink-3")}>
          <SafeText text={name} />
        </span>
        <div className="font-mono text-2xs text-ink-3">{id}</div>
      </th>
      <td className={TD}>{verbs.join(", ")}</td>
      <td className={TD}>{targets.includes("*") ? "all" : <Lines texts={targets} />}</td>
      <td className={clsx(TD, "font-mono text-xs")}>
        {keys.includes("*") ? <span className="font-sans">all</span> : <Lines texts={keys} />}
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
              aria-label={`Rotate ${name}`}
            >
              Rotate…
            </Button>
            <Button
              size="small"
              onClick={() => onTask({ what: "revoke", key: apiKey })}
              aria-label={`Revoke ${name}`}
            >
              Revoke…
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}

const LINES_MAX = 3;

function Lines({ texts }: { texts: readonly string[] }) {
  const more = texts.length - LINES_MAX;
  return (
    <ul title={texts.join("\n")}>
      {texts.slice(0, LINES_MAX).map((text) => (
        <li key={text}>
          <SafeText text={text} wrap />
        </li>
      ))}
      {more > 0 && <li className="font-sans text-ink-3">and {more} more</li>}
    </ul>
  );
}

function LastUsed({ at }: { at: number | null }) {
  const now = useServerNow();
  if (at === null) return <span className="text-ink-3">never</span>;
  const isNow = now !== null && now - at < 60_000;
  return <time dateTime={new Date(at).toISOString()}>{isNow ? "now" : formatAgo((now ?? at) - at)}</time>;
}

function End({ apiKey: { state, expiresAt, revokedAt, oldSecretUntil } }: { apiKey: ApiKey }) {
  const now = useServerNow();
  if (state === "revoked")
    return <span className="text-bad">revoked {revokedAt === null ? "" : formatDate(revokedAt)}</span>;
  if (state === "expired") return <span className="text-bad">expired</span>;
  const overlapMs = oldSecretUntil === null || now === null ? 0 : oldSecretUntil - now;
  return (
    <>
      {expiresAt === null ? (
        <span className="text-ink-3">never</span>
      ) : (
        <time dateTime={new Date(expiresAt).toISOString()} title={formatDate(expiresAt)}>
          {now === null ? formatDate(expiresAt) : `in ${formatRemaining(expiresAt - now)}`}
        </time>
      )}
      {overlapMs > 0 && (
        <div className="text-2xs text-warn">old secret works for {formatRemaining(overlapMs)}</div>
      )}
    </>
  );
}
