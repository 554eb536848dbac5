"use client";

import clsx from "clsx";
import { CircleHelp, LogOut } from "lucide-react";
import { PaletteButton } from "@/components/palette/palette-button.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { Access } from "@/lib/contract/access.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useLogout } from "@/lib/queries/access/logout.ts";
import { getRole } from "../app/permissions.ts";
import { isProduction } from "../app/target-badges.tsx";
import { TargetLink } from "../app/target-link.tsx";
import { ConnectionPill } from "./connection-pill.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { Logo } from "./logo.tsx";
import { TargetSwitch } from "./target-switch.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

export function TopBar({ onHelp }: { onHelp(): void }) {
  const messages = useMessages(shell);
  const { hello } = useLiveState();
  return (
    <header
      className={clsx(
        "flex min-w-0 items-center gap-2 px-3 sm:gap-3.5 sm:col-span-full",
        isProduction(hello?.target) ? "border-b-2 border-bad bg-bad-bg" : "border-b border-line bg-panel",
      )}
    >
      <TargetLink
        href="/"
        className="flex items-center gap-2 font-semibold tracking-tight max-sm:hidden sm:-ml-4 sm:w-14 sm:justify-center min-[100rem]:w-[184px] min-[100rem]:justify-start min-[100rem]:pl-4.5"
      >
        <Logo />
        <span className="max-[99.99rem]:sr-only">Lockkeeper</span>
      </TargetLink>
      <TargetSwitch />
      <ConnectionPill />
      <span className="flex-1" />
      <PaletteButton onHelp={onHelp} />
      <Button
        variant="quiet"
        size="icon"
        className="max-sm:hidden"
        aria-label={messages.keysHelp}
        title={messages.keysHelpKey("?")}
        onClick={onHelp}
      >
        <CircleHelp aria-hidden size={15} />
      </Button>
      {/* On phones, the menu contains them. */}
      <div className="flex gap-2 max-sm:hidden sm:gap-3.5">
        <LanguageSwitch />
        <ThemeSwitch />
      </div>
      {hello !== null && <OperatorMenu name={hello.operator.name} may={hello.operator.may} />}
    </header>
  );
}

function OperatorMenu({ name, may }: { name: string; may: readonly Access[] }) {
  const messages = useMessages(shell);
  const logout = useLogout();
  return (
    <>
      <span
        className="truncate rounded-[5px] border border-line px-1.5 text-2xs leading-5 text-ink-2 max-sm:hidden"
        data-testid="operator"
      >
        <bdi translate="no">{name}</bdi>
        {` · ${messages.ranks[getRole(may)]}`}
      </span>
      <Button
        variant="quiet"
        size="icon"
        className="max-sm:hidden"
        aria-label={messages.logOut}
        title={logout.isFailed ? messages.logOutFailed : messages.logOut}
        onClick={() => logout.run()}
      >
        <LogOut aria-hidden size={15} />
      </Button>
    </>
  );
}
