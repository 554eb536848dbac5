"use client";

import clsx from "clsx";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { Logo } from "./logo.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

/** Renders the layout of the pages that require no login. Sends no API requests. */
export function PublicShell({ children }: { children: ReactNode }) {
  const messages = useMessages(shell);
  return (
    <div className="grid h-dvh grid-rows-[48px_minmax(0,1fr)] overflow-hidden">
      <a
        href="#content"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-[7px] bg-accent px-3 py-1.5 text-accent-ink focus:translate-y-0"
      >
        {messages.skipToContent}
      </a>
      <PublicHeader />
      <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col outline-none">
        {children}
      </main>
    </div>
  );
}

function PublicHeader() {
  const messages = useMessages(shell);
  return (
    <header className="flex min-w-0 items-center gap-3 border-b border-line bg-panel px-3 sm:gap-4 sm:px-5">
      <a href={`${BASE_PATH}/`} className="flex items-center gap-2 font-semibold tracking-tight">
        <Logo />
        <span className="max-sm:sr-only">Lockkeeper</span>
      </a>
      <nav aria-label={messages.documentation} className="flex gap-1">
        <PageLink href="/docs">{messages.places.docs}</PageLink>
        <PageLink href="/problems">{messages.problemCodes}</PageLink>
      </nav>
      <span className="flex-1" />
      <div className="flex sm:gap-2">
        <LanguageSwitch />
        <ThemeSwitch />
      </div>
      <a href={`${BASE_PATH}/`} className="text-accent whitespace-nowrap hover:underline max-sm:hidden">
        {messages.openConsole}
      </a>
    </header>
  );
}

/** Links to a public page without prefetching, which is unnecessary because the public pages are small. */
function PageLink({ href, children }: { href: string; children: string }) {
  const pathname = usePathname();
  const isHere = pathname === href || pathname.startsWith(`${href}/`);
  return (
    <a
      href={`${BASE_PATH}${href}`}
      aria-current={pathname === href ? "page" : isHere || undefined}
      className={clsx(
        "rounded-[7px] px-2.5 py-1.5 whitespace-nowrap",
        isHere ? "bg-accent-bg font-medium text-accent" : "text-ink-2 hover:bg-line-soft hover:text-ink",
      )}
    >
      {children}
    </a>
  );
}
