"use client";

import clsx from "clsx";
import { usePathname } from "next/navigation";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useCounts } from "@/lib/live/live-cache.ts";
import { isTargetNeverReached } from "../app/connection.ts";
import { CONSOLE_PAGES } from "../app/pages.ts";
import { isServerAdmin } from "../app/permissions.ts";
import { TargetLink } from "../app/target-link.tsx";

export function MainNavigation() {
  const messages = useMessages(shell);
  const pathname = usePathname();
  const live = useLiveState();
  const isAdmin = isServerAdmin(live.hello);
  const counts = useCounts();
  const locks = isTargetNeverReached(live) ? undefined : counts?.held;
  return (
    <nav
      aria-label={messages.console}
      className="flex gap-1 overflow-x-auto border-b border-line bg-panel px-3 py-1.5 lg:flex-col lg:gap-0.5 lg:border-r lg:border-b-0 lg:px-2.5 lg:py-3"
    >
      {CONSOLE_PAGES.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(({ href, name, covers }) => {
        const here = covers(pathname);
        return (
          <TargetLink
            key={href}
            href={href}
            aria-current={here ? "page" : undefined}
            className={clsx(
              "flex items-center justify-between gap-3 whitespace-nowrap rounded-[7px] px-2.5 py-1.5",
              here ? "bg-accent-bg font-medium text-accent" : "text-ink-2 hover:bg-line-soft hover:text-ink",
            )}
          >
            {messages.places[name]}
            {href === "/" && locks !== undefined && <span>{formatNumber(locks)}</span>}
          </TargetLink>
        );
      })}
    </nav>
  );
}
