"use client";

import { useLoginCommand } from "@/components/app/login-command.tsx";
import { CommandLine } from "@/components/ui/command-line.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { login } from "@/lib/i18n/en/login.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

export function LoggedOutNotice() {
  const messages = useMessages(login);
  const loginCommand = useLoginCommand();
  const { pathname, search } = location;
  return (
    <EmptyState page title={messages.notLoggedIn}>
      <p>
        <a
          href={`${BASE_PATH}/login?next=${encodeURIComponent(pathname + search)}`}
          className="inline-flex h-7 items-center rounded-[7px] border border-accent bg-accent px-2.5 text-accent-ink hover:brightness-90 dark:hover:brightness-110"
        >
          {messages.byPassword}
        </a>
      </p>
      <p>{messages.byCommand}</p>
      <CommandLine text={loginCommand} label={messages.copyCommand} />
    </EmptyState>
  );
}
