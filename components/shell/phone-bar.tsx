"use client";

import clsx from "clsx";
import { Ellipsis, type LucideIcon } from "lucide-react";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { CONSOLE_PAGES } from "../app/pages.ts";
import { TargetLink } from "../app/target-link.tsx";
import { AttentionBadge } from "./attention-badge.tsx";
import { PAGE_ICONS, PHONE_BAR_PAGES } from "./navigation-items.ts";
import { useLockBadges } from "./use-lock-badges.ts";

const MoreSheet = createLazyOverlay(() => import("./more-sheet.tsx").then((module) => module.MoreSheet));

const ITEM_CLASS =
  "relative flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-2xs outline-offset-[-2px]";

export function PhoneBar({ onHelp }: { onHelp(): void }) {
  const messages = useMessages(shell);
  const pathname = usePathname();
  const { needsAttention, deadlocks } = useLockBadges();
  const [isOpen, setOpen] = useState(false);
  const pages = PHONE_BAR_PAGES.flatMap((name) => CONSOLE_PAGES.find((page) => page.name === name) ?? []);
  const isElsewhere = !pages.some(({ covers }) => covers(pathname));
  return (
    <nav
      aria-label={messages.console}
      className="order-last flex border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] sm:hidden"
    >
      {pages.map(({ href, name, covers }) => {
        const here = covers(pathname);
        return (
          <TargetLink
            key={href}
            href={href}
            aria-current={here ? "page" : undefined}
            className={clsx(ITEM_CLASS, here ? "font-medium text-accent" : "text-ink-2")}
          >
            <BarIcon Icon={PAGE_ICONS[name]} badge={name === "locks" ? needsAttention : undefined} />
            {name === "events" ? messages.liveEvents : messages.places[name]}
          </TargetLink>
        );
      })}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={clsx(ITEM_CLASS, isElsewhere ? "font-medium text-accent" : "text-ink-2")}
      >
        <BarIcon Icon={Ellipsis} badge={deadlocks} of="deadlocks" />
        {messages.more}
      </button>
      {isOpen && <MoreSheet onHelp={onHelp} onClose={() => setOpen(false)} />}
    </nav>
  );
}

interface BarIconProps {
  Icon: LucideIcon;
  badge: number | undefined;
  of?: "locks" | "deadlocks";
}

function BarIcon({ Icon, badge, of = "locks" }: BarIconProps) {
  return (
    <span className="relative">
      <Icon aria-hidden size={20} strokeWidth={1.75} />
      <AttentionBadge count={badge} of={of} className="absolute -top-1.5 left-3" />
    </span>
  );
}
