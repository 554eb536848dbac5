"use client";

import clsx from "clsx";
import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { CONSOLE_PAGES } from "../app/pages.ts";
import { isServerAdmin } from "../app/permissions.ts";
import { TargetLink } from "../app/target-link.tsx";
import { AttentionBadge } from "./attention-badge.tsx";
import { PAGE_ICONS } from "./navigation-items.ts";
import { useLockBadges } from "./use-lock-badges.ts";

const BADGE_CLASS =
  "max-[99.99rem]:absolute max-[99.99rem]:top-0.5 max-[99.99rem]:right-0 min-[100rem]:ml-auto";

/**
 * Renders the navigation: icons with tooltips below 1600 px, and icons with names at 1600 px and wider. Phones show
 * `PhoneBar` instead.
 */
export function MainNavigation() {
  const messages = useMessages(shell);
  const pathname = usePathname();
  const isAdmin = isServerAdmin(useLiveState().hello);
  const { held, needsAttention, deadlocks } = useLockBadges();
  const tooltips = useTooltipDismissal();
  return (
    <nav
      aria-label={messages.console}
      onPointerEnter={tooltips.restore}
      onFocus={tooltips.restore}
      className="z-20 flex flex-col gap-0.5 border-r border-line bg-panel px-2 py-2.5 max-sm:hidden [@media(height<26rem)]:overflow-y-auto"
    >
      {CONSOLE_PAGES.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(({ href, name, covers }) => {
        const here = covers(pathname);
        const Icon = PAGE_ICONS[name];
        return (
          <TargetLink
            key={href}
            href={href}
            aria-current={here ? "page" : undefined}
            className={clsx(
              "group relative flex h-10 shrink-0 items-center rounded-[8px] max-[99.99rem]:justify-center min-[100rem]:h-9 min-[100rem]:gap-2.5 min-[100rem]:px-2.5",
              here ? "bg-accent-bg font-medium text-accent" : "text-ink-2 hover:bg-line-soft hover:text-ink",
            )}
          >
            <Icon aria-hidden size={17} strokeWidth={1.75} className="shrink-0" />
            <NavigationLabel isTooltipDismissed={tooltips.isDismissed}>
              {messages.places[name]}
            </NavigationLabel>
            {name === "waits" && <AttentionBadge count={deadlocks} of="deadlocks" className={BADGE_CLASS} />}
            {name === "locks" && (
              <>
                <AttentionBadge count={needsAttention} className={BADGE_CLASS} />
                {held !== undefined && <span className="max-[99.99rem]:hidden">{formatNumber(held)}</span>}
              </>
            )}
          </TargetLink>
        );
      })}
    </nav>
  );
}

/** Shows the name of a page next to its icon or as a tooltip. The name is also the accessible name of the link. */
function NavigationLabel({
  children,
  isTooltipDismissed,
}: {
  children: ReactNode;
  isTooltipDismissed: boolean;
}) {
  return (
    <span
      className={clsx(
        "whitespace-nowrap max-[99.99rem]:pointer-events-none max-[99.99rem]:absolute max-[99.99rem]:left-full max-[99.99rem]:pl-2 max-[99.99rem]:opacity-0",
        !isTooltipDismissed &&
          "max-[99.99rem]:group-hover:pointer-events-auto max-[99.99rem]:group-hover:opacity-100 max-[99.99rem]:group-focus-visible:opacity-100",
      )}
    >
      <span className="block max-[99.99rem]:rounded-[6px] max-[99.99rem]:bg-ink max-[99.99rem]:px-2 max-[99.99rem]:py-1 max-[99.99rem]:text-xs max-[99.99rem]:font-medium max-[99.99rem]:text-bg">
        {children}
      </span>
    </span>
  );
}

/** Hides the tooltips on Escape until the pointer or the focus returns (WCAG 1.4.13). */
function useTooltipDismissal() {
  const [isDismissed, setDismissed] = useState(false);
  useEffect(() => {
    const dismiss = ({ key }: KeyboardEvent) => key === "Escape" && setDismissed(true);
    document.addEventListener("keydown", dismiss);
    return () => document.removeEventListener("keydown", dismiss);
  }, []);
  return { isDismissed, restore: () => setDismissed(false) };
}
