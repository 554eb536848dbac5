"use client";

import { isServerAdmin } from "@/components/app/permissions.ts";
import { Button } from "@/components/ui/button.tsx";
import { CommandLine } from "@/components/ui/command-line.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { AppConnection } from "@/lib/contract/accounts/app-connection.ts";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useAppConnection, useRevealedUrl } from "@/lib/queries/app-connection.ts";

/**
 * Shows admins how applications connect to the embedded Redis. Renders nothing for other operators, or if no target is
 * the embedded Redis.
 */
export function AppConnectionSettings() {
  const { hello } = useLiveState();
  return isServerAdmin(hello) ? <ConnectionCard /> : null;
}

function ConnectionCard() {
  const messages = useMessages(settings);
  const found = useAppConnection();
  if (found.isError)
    return (
      <Section title={messages.connectApps}>
        <ProblemNote problem={found.error} onAgain={() => void found.refetch()} />
      </Section>
    );
  const connection = found.data?.connection;
  if (connection === undefined || connection === null) return null;
  return (
    <Section title={messages.connectApps} text={messages.connectAppsText}>
      <ConnectionDetails connection={connection} />
    </Section>
  );
}

function ConnectionDetails({ connection: { host, port, user, file } }: { connection: AppConnection }) {
  const messages = useMessages(settings);
  const { waiting } = useMessages(ui);
  const revealed = useRevealedUrl();
  const url = revealed.data?.url;
  const facts = [
    [messages.connectionHost, host],
    [messages.connectionPort, String(port)],
    [messages.connectionUser, user],
    [messages.connectionFile, file],
  ] as const;
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd translate="no" className="font-mono text-xs wrap-anywhere">
              {value}
            </dd>
          </div>
        ))}
      </dl>
      {url === undefined ? (
        <pre
          translate="no"
          className="rounded-[8px] border border-line bg-bg px-3 py-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap"
        >
          {`redis://${user}:••••••••@${host}:${port}`}
        </pre>
      ) : (
        <CommandLine text={url} label={messages.copyUrl} />
      )}
      <ProblemNote problem={revealed.error} />
      <div>
        {url === undefined ? (
          <Button blocked={revealed.isPending ? waiting : null} onClick={() => revealed.mutate()}>
            {messages.showPassword}
          </Button>
        ) : (
          <Button onClick={() => revealed.reset()}>{messages.hidePassword}</Button>
        )}
      </div>
    </div>
  );
}
