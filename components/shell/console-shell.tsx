"use client";

import dynamic from "next/dynamic";
import { useQueryState } from "nuqs";
import { type ReactNode, useState } from "react";
import { CommandsProvider } from "@/components/app/command-registry.tsx";
import { useKeys } from "@/components/ui/use-shortcuts.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useLive } from "@/lib/live/hooks.ts";
import { LiveProvider } from "@/lib/live/live-provider.tsx";
import { Nav } from "./main-navigation.tsx";
import { ConditionBanner } from "./status-banner.tsx";
import { KnownTarget } from "./target-check.tsx";
import { TopBar } from "./top-bar.tsx";

const KeysHelp = dynamic(() => import("./keyboard-help.tsx").then((module) => module.KeysHelp), {
  ssr: false,
});

const LoggedOut = dynamic(() => import("./logged-out.tsx").then((module) => module.LoggedOut), {
  ssr: false,
});

/** Which target it is about stands in the address; another one is another picture, from its beginning. */
export function Shell({ children }: { children: ReactNode }) {
  const [target] = useQueryState("target");
  return (
    <LiveProvider key={target} target={target ?? undefined}>
      <CommandsProvider>
        <Frame>{children}</Frame>
      </CommandsProvider>
    </LiveProvider>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const words = useWords(shell);
  const { connection } = useLive();
  const [help, setHelp] = useState(false);
  useKeys({ "?": () => setHelp(true) });
  return (
    <div className="grid h-dvh grid-rows-[48px_auto_minmax(0,1fr)] overflow-hidden lg:grid-cols-[184px_minmax(0,1fr)] lg:grid-rows-[48px_minmax(0,1fr)]">
      <a
        href="#content"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-[7px] bg-accent px-3 py-1.5 text-accent-ink focus:translate-y-0"
      >
        {words.skipToContent}
      </a>
      <TopBar onHelp={() => setHelp(true)} />
      <Nav />
      <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col outline-none">
        <ConditionBanner />
        {connection === "logged_out" ? <LoggedOut /> : <KnownTarget>{children}</KnownTarget>}
      </main>
      {help && <KeysHelp onClose={() => setHelp(false)} />}
    </div>
  );
}
