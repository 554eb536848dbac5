"use client";

import { useState } from "react";
import { LockLink } from "@/components/lock-facts/lock-link.tsx";
import { shortenOwner } from "@/components/lock-facts/owner-text.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatElapsed, formatNumber, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { RootBlocker, WaitingClient } from "@/lib/contract/waits/waits.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { waits } from "@/lib/i18n/en/waits.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { nestRows, type WaitNode } from "./nest-rows.ts";

/** Number of rows that are shown at first. More rows would push the next root blocker off the screen. */
const ROWS_SHOWN = 12;

interface WaitTreeProps {
  tree: Pick<RootBlocker, "rows" | "rowsLeftOut" | "unnamed">;
  label: string;
}

/**
 * Renders the waiting clients as nested lists. The clients that wait for a client are listed below that client. If
 * there are more than 12 clients, shows 12 of them and a button that shows all.
 */
export function WaitTree({ tree: { rows, rowsLeftOut, unnamed }, label }: WaitTreeProps) {
  const messages = useMessages(waits);
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, ROWS_SHOWN);
  return (
    <div className="flex flex-col items-start gap-1">
      {shown.length > 0 && <WaitList nodes={nestRows(shown)} label={label} />}
      {shown.length < rows.length && (
        <Button size="small" variant="quiet" onClick={() => setWhole(true)}>
          {messages.showAll(formatNumber(rows.length))}
        </Button>
      )}
      {rowsLeftOut > 0 && <p className="pl-5 text-ink-3">{messages.notListed(formatNumber(rowsLeftOut))}</p>}
      {unnamed > 0 && <p className="pl-5 text-ink-3">{messages.unnamed(unnamed, formatNumber(unnamed))}</p>}
    </div>
  );
}

function WaitList({ nodes, label }: { nodes: readonly WaitNode[]; label?: string }) {
  return (
    <ul aria-label={label} className="flex w-full flex-col border-l border-line pl-4">
      {nodes.map(({ at, client, behind }) => (
        <li key={at}>
          <WaitRow client={client} />
          {behind.length > 0 && <WaitList nodes={behind} />}
        </li>
      ))}
    </ul>
  );
}

function WaitRow({ client: { owner, since, sinceIs, until, holds } }: { client: WaitingClient }) {
  const messages = useMessages(waits);
  const uiMessages = useMessages(ui);
  const now = useServerNow() ?? since;
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 border-b border-line-soft py-1">
      <span className="min-w-0 truncate font-mono text-xs" title={toVisibleText(owner)}>
        <SafeText text={shortenOwner(owner)} />
      </span>
      <span className="text-ink-2">
        {messages.waiting(`${sinceIs === "at_least" ? "≥ " : ""}${formatElapsed(now - since, uiMessages)}`)}
      </span>
      {until !== null && until > now && (
        <span className="text-ink-3">{messages.timesOut(formatRemaining(until - now, uiMessages))}</span>
      )}
      {holds.map((lock) => (
        <span key={lock.key} className="flex min-w-0 items-center gap-1 text-ink-2 sm:ml-auto">
          {messages.blocks(<LockLink fields={lock} />, formatNumber(lock.waiting))}
        </span>
      ))}
    </div>
  );
}
