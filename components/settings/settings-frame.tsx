"use client";

import clsx from "clsx";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { isServerAdmin } from "@/components/shell/rank.ts";
import { TargetLink } from "@/components/shell/target-link.tsx";
import { useLive } from "@/lib/live/hooks.ts";

const PARTS = [
  { href: "/settings/you", name: "You", isForAdmins: false },
  { href: "/settings/keys", name: "API keys", isForAdmins: true },
  { href: "/settings/operators", name: "Operators", isForAdmins: true },
  { href: "/settings/sessions", name: "Sessions", isForAdmins: false },
] as const;

/** All settings stand under one heading, each at an address of its own. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const { hello } = useLive();
  const isAdmin = isServerAdmin(hello);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-[1080px] flex-col gap-4 px-3 py-4 sm:px-5">
        <h1 className="text-lg font-semibold tracking-tight">Settings</h1>
        <nav aria-label="Settings" className="flex gap-1 overflow-x-auto border-b border-line">
          {PARTS.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(({ href, name }) => (
            <TargetLink
              key={href}
              href={href}
              aria-current={pathname === href ? "page" : undefined}
              className={clsx(
                "-mb-px border-b-2 px-2.5 py-2 whitespace-nowrap",
                pathname === href
                  ? "border-accent font-medium text-ink"
                  : "border-transparent text-ink-2 hover:text-ink",
              )}
            >
              {name}
            </TargetLink>
          ))}
        </nav>
        {children}
      </div>
    </div>
  );
}

/** What stands where somebody may not look. */
export function ForAdmins({ what }: { what: string }) {
  return (
    <p className="rounded-[10px] border border-line bg-panel px-4 py-3 text-ink-2">
      {what} by admins of all targets. You are not one: ask somebody who is.
    </p>
  );
}
