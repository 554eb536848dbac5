"use client";

import dynamic from "next/dynamic";
import { usePathname } from "next/navigation";
import { useQueryState } from "nuqs";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { CommandsProvider } from "@/components/app/command-registry.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import { loadPart } from "@/lib/api/load-part.ts";
import { useLiveState } from "@/lib/live/hooks.ts";
import { LiveProvider } from "@/lib/live/live-provider.tsx";
import { isTargetNeverReached } from "../app/connection.ts";
import { isTargetPage } from "../app/pages.ts";
// Parts that are loaded later share this file. Without this import, the bundler splits the code of the first load
// differently, which makes it 1 KB larger.
import "@/components/ui/safe-text.tsx";
import { MainNavigation } from "./main-navigation.tsx";
import { SkipLink } from "./skip-link.tsx";
import { StatusBanner } from "./status-banner.tsx";
import { TopBar } from "./top-bar.tsx";

const KeyboardHelp = createLazyOverlay(() =>
  import("./keyboard-help.tsx").then((module) => module.KeyboardHelp),
);

/** Reserves the height of the phone bar, so that the page does not move when the bar appears. */
const PhoneBarPlaceholder = () => (
  <div className="order-last h-[57px] border-t border-line bg-panel sm:hidden" />
);
const PhoneBar = dynamic(
  loadPart(() => import("./phone-bar.tsx").then((module) => module.PhoneBar)),
  { ssr: false, loading: PhoneBarPlaceholder },
);

const UnavailablePage = dynamic(
  loadPart(() => import("./unavailable/unavailable-page.tsx").then((module) => module.UnavailablePage)),
  { ssr: false },
);

/**
 * Renders the layout of the console's pages. The target is in the URL. Changing the target remounts the page and
 * discards its state.
 */
export function ConsoleShell({ children }: { children: ReactNode }) {
  const [target] = useQueryState("target");
  useFocusAfterTargetSwitch(target);
  return (
    <LiveProvider key={target} target={target ?? undefined}>
      <CommandsProvider>
        <ShellFrame>{children}</ShellFrame>
      </CommandsProvider>
    </LiveProvider>
  );
}

/** Moves the focus to the content after a change of target, which removes the focused element. */
function useFocusAfterTargetSwitch(target: string | null): void {
  const shown = useRef(target);
  useEffect(() => {
    if (shown.current === target) return;
    shown.current = target;
    if (document.activeElement === document.body) document.getElementById("content")?.focus();
  }, [target]);
}

function ShellFrame({ children }: { children: ReactNode }) {
  const isPhone = useMediaQuery("(width < 40rem)");
  const [help, setHelp] = useState(false);
  useShortcuts({ "?": () => setHelp(true) });
  return (
    <div className="grid h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[48px_minmax(0,1fr)_auto] overflow-hidden sm:grid-cols-[56px_minmax(0,1fr)] sm:grid-rows-[48px_minmax(0,1fr)] min-[100rem]:grid-cols-[184px_minmax(0,1fr)]">
      <SkipLink />
      <TopBar onHelp={() => setHelp(true)} />
      <MainNavigation />
      {isPhone ? <PhoneBar onHelp={() => setHelp(true)} /> : <PhoneBarPlaceholder />}
      <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col outline-none">
        <PageContent>{children}</PageContent>
      </main>
      {help && <KeyboardHelp onClose={() => setHelp(false)} />}
    </div>
  );
}

/** Shows the page, or why it is unavailable. */
function PageContent({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const live = useLiveState();
  if (
    live.connection === "logged_out" ||
    live.connection === "refused" ||
    (isTargetNeverReached(live) && isTargetPage(pathname))
  )
    return <UnavailablePage />;
  return (
    <>
      <StatusBanner />
      {children}
    </>
  );
}
