"use client";

import dynamic from "next/dynamic";
import { useQueryState } from "nuqs";
import { type ReactNode, useState } from "react";
import { CommandsProvider } from "@/components/app/command-registry.tsx";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { LiveProvider } from "@/lib/live/live-provider.tsx";
import { MainNavigation } from "./main-navigation.tsx";
import { StatusBanner } from "./status-banner.tsx";
import { TargetCheck } from "./target-check.tsx";
import { TopBar } from "./top-bar.tsx";

const KeyboardHelp = dynamic(() => import("./keyboard-help.tsx").then((module) => module.KeyboardHelp), {
  ssr: false,
});

const LoggedOutNotice = dynamic(() => import("./logged-out.tsx").then((module) => module.LoggedOutNotice), {
  ssr: false,
});

/** Which target it is about stands in the address; another one is another picture, from its beginning. */
export function ConsoleShell({ children }: { children: ReactNode }) {
  const [target] = useQueryState("target");
  return (
    <LiveProvider key={target} target={target ?? undefined}>
      <CommandsProvider>
        <ShellFrame>{children}</ShellFrame>
      </CommandsProvider>
    </LiveProvider>
  );
}

function ShellFrame({ children }: { children: ReactNode }) {
  const messages = useMessages(shell);
  const { connection } = useLiveState();
  const [help, setHelp] = useState(false);
  useShortcuts({ "?": () => setHelp(true) });
  return (
    <div className="grid h-dvh grid-rows-[48px_auto_minmax(0,1fr)] overflow-hidden lg:grid-cols-[184px_minmax(0,1fr)] lg:grid-rows-[48px_minmax(0,1fr)]">
      <a
        href="#content"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-[7px] bg-accent px-3 py-1.5 text-accent-ink focus:translate-y-0"
      >
        {messages.skipToContent}
      </a>
      <TopBar onHelp={() => setHelp(true)} />
      <MainNavigation />
      <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col outline-none">
        <StatusBanner />
        {connection === "logged_out" ? <LoggedOutNotice /> : <TargetCheck>{children}</TargetCheck>}
      </main>
      {help && <KeyboardHelp onClose={() => setHelp(false)} />}
    </div>
  );
}
