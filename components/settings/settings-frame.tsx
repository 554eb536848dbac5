"use client";

import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { isServerAdmin } from "@/components/app/permissions.ts";
import { TargetLink } from "@/components/app/target-link.tsx";
import { PageHeader, SECTION_PAGE_CLASS } from "@/components/ui/page-header.tsx";
import { getTabClass, TABS_CLASS } from "@/components/ui/tab-class.ts";
import { settings } from "@/lib/i18n/en/settings.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";

const SETTINGS_TABS = [
  { href: "/settings/you", name: "you", isForAdmins: false },
  { href: "/settings/keys", name: "keys", isForAdmins: true },
  { href: "/settings/operators", name: "operators", isForAdmins: true },
  { href: "/settings/sessions", name: "sessions", isForAdmins: false },
] as const;

/** Renders the layout of the settings pages, with a tab for each page. Shows the tabs of admin pages only to admins. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const messages = useMessages(settings);
  const pathname = usePathname();
  const { hello } = useLiveState();
  const isAdmin = isServerAdmin(hello);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className={SECTION_PAGE_CLASS}>
        <PageHeader title={messages.title} />
        <nav aria-label={messages.title} className={TABS_CLASS}>
          {SETTINGS_TABS.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(({ href, name }) => (
            <TargetLink
              key={href}
              href={href}
              aria-current={pathname === href ? "page" : undefined}
              className={getTabClass(pathname === href)}
            >
              {messages.parts[name]}
            </TargetLink>
          ))}
        </nav>
        {children}
      </div>
    </div>
  );
}

export function AdminOnlyNotice({ text }: { text: string }) {
  return <p className="rounded-[10px] border border-line bg-panel px-4 py-3 text-ink-2">{text}</p>;
}
