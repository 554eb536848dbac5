"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { CELL_CLASS, DataTable } from "@/components/ui/data-table.tsx";
import { formatAgo, formatDate, formatRemaining } from "@/components/ui/format-duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { BrowserSession } from "@/lib/contract/accounts/session.ts";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState, useServerNow } from "@/lib/live/hooks.ts";
import { useBrowserSessions, useEndSessions } from "@/lib/queries/access/browser-sessions.ts";
import { useLogout } from "@/lib/queries/access/logout.ts";

/** Lists the operator's own browser sessions. Admins can also list the sessions of all operators. */
export function SessionsSettings() {
  const messages = useMessages(settings);
  const { loading } = useMessages(ui);
  const sessions = useBrowserSessions();
  const { hello } = useLiveState();
  const end = useEndSessions();
  const [whose, setWhose] = useState<"mine" | "all">("mine");
  const items = sessions.data?.items ?? [];
  const mine = items.filter(({ name }) => name === hello?.operator.name);
  const others = mine.filter(({ current }) => !current).map(({ id }) => id);
  const hasMore = items.length > mine.length;
  return (
    <Section
      title={messages.sessions}
      text={messages.sessionsText}
      actions={
        <>
          {(hasMore || whose === "all") && (
            <Button aria-pressed={whose === "all"} onClick={() => setWhose(whose === "all" ? "mine" : "all")}>
              {whose === "all" ? messages.mineOnly : messages.everyone(items.length)}
            </Button>
          )}
          <Button
            blocked={others.length === 0 ? messages.onlySession : end.isPending ? messages.ending : null}
            onClick={() => end.mutate(others)}
          >
            {messages.endOthers}
          </Button>
        </>
      }
    >
      {sessions.isPending && <p className="px-4 py-3 text-ink-3">{loading}</p>}
      <ProblemNote problem={sessions.error ?? end.error} onAgain={() => void sessions.refetch()} />
      {sessions.data !== undefined && (
        <DataTable label={messages.sessions} heads={[...Object.values(messages.sessionHeads), ""]}>
          {(whose === "all" ? items : mine).map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => end.mutate([session.id])} />
          ))}
        </DataTable>
      )}
    </Section>
  );
}

function SessionRow({ session, onEnd }: { session: BrowserSession; onEnd(): void }) {
  const { name, via, expiresAt, since, lastSeenAt, address, userAgent, current } = session;
  const messages = useMessages(settings);
  const time = useMessages(ui);
  const logout = useLogout();
  const now = useServerNow();
  return (
    <tr className="border-t border-line-soft">
      <th scope="row" className={`${CELL_CLASS} font-normal whitespace-nowrap`}>
        <span className="font-medium">
          <SafeText text={name} />
        </span>
        {current && (
          <span className="ml-2 rounded-[4px] border border-accent px-1 text-2xs text-accent">
            {messages.thisSession}
          </span>
        )}
        <div className="text-2xs text-ink-3">{messages.by[via]}</div>
      </th>
      <td
        translate={userAgent === null ? undefined : "no"}
        className={`${CELL_CLASS} max-w-64`}
        title={toVisibleText(userAgent ?? "")}
      >
        <div className="truncate">
          {userAgent === null ? (
            <span className="text-ink-3">{messages.unknownBrowser}</span>
          ) : (
            <SafeText text={userAgent} />
          )}
        </div>
      </td>
      <td className={`${CELL_CLASS} font-mono text-xs`}>
        {address === null ? "–" : <SafeText text={address} />}
      </td>
      <td className={CELL_CLASS} title={formatDate(since)}>
        {now === null ? formatDate(since) : formatAgo(now - since, time)}
        {now !== null && (
          <div className="text-2xs text-ink-3">{messages.endsIn(formatRemaining(expiresAt - now, time))}</div>
        )}
      </td>
      <td className={CELL_CLASS}>
        {now === null || now - lastSeenAt < 60_000 ? time.now : formatAgo(now - lastSeenAt, time)}
      </td>
      <td className={`${CELL_CLASS} text-right`}>
        <Button
          size="small"
          aria-label={current ? messages.logOutHere : messages.endSessionOf(toVisibleText(name))}
          onClick={current ? () => logout.run() : onEnd}
        >
          {current ? messages.logOut : messages.end}
        </Button>
      </td>
    </tr>
  );
}
