"use client";

import { Dialog } from "@base-ui/react/dialog";
import { CircleHelp, Languages, LogOut, type LucideIcon, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useLogout } from "@/lib/queries/access/logout.ts";
import { CONSOLE_PAGES } from "../app/pages.ts";
import { getRole, isServerAdmin } from "../app/permissions.ts";
import { TargetLink } from "../app/target-link.tsx";
import { useNextLanguage } from "./language-switch.tsx";
import { PAGE_ICONS, PHONE_BAR_PAGES } from "./navigation-items.ts";
import { useNextTheme } from "./theme-switch.tsx";

interface MoreSheetProps {
  onHelp(): void;
  onClose(): void;
}

const ROW_CLASS =
  "flex min-h-11 w-full items-center gap-3 rounded-[8px] px-3 text-left hover:bg-line-soft outline-offset-[-2px]";

/**
 * Renders the menu on phones: the pages that are not in the phone bar, theme, language, keyboard help and logout. Load
 * this component lazily, because it includes the overlay code.
 */
export function MoreSheet({ onHelp, onClose }: MoreSheetProps) {
  const messages = useMessages(shell);
  const { hello } = useLiveState();
  const isAdmin = isServerAdmin(hello);
  const pages = CONSOLE_PAGES.filter(
    ({ name, isForAdmins }) => !PHONE_BAR_PAGES.includes(name) && (isAdmin || !isForAdmins),
  );
  const theme = useNextTheme();
  const language = useNextLanguage();
  const logout = useLogout();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay" />
        <Dialog.Popup className="fixed inset-x-0 bottom-0 z-40 max-h-[85dvh] overflow-y-auto rounded-t-[14px] border-t border-line bg-panel px-2 pb-[max(0.5rem,env(safe-area-inset-bottom))] shadow-sheet outline-none">
          <div className="flex items-center pl-3">
            <Dialog.Title className="flex-1 font-semibold">{messages.more}</Dialog.Title>
            <Dialog.Close
              render={
                <Button
                  variant="quiet"
                  className="size-11!"
                  aria-label={messages.close}
                  title={messages.close}
                >
                  <X aria-hidden size={16} />
                </Button>
              }
            />
          </div>
          <ul className="grid grid-cols-2">
            {pages.map(({ href, name }) => (
              <li key={href}>
                <TargetLink href={href} prefetch={false} onClick={onClose} className={ROW_CLASS}>
                  <RowIcon Icon={PAGE_ICONS[name]} />
                  {messages.places[name]}
                </TargetLink>
              </li>
            ))}
          </ul>
          <hr className="mx-3 my-1 border-line-soft" />
          <SheetAction Icon={theme.Icon} onClick={theme.apply}>
            {theme.label}
          </SheetAction>
          <SheetAction Icon={Languages} onClick={language.apply}>
            {language.label}
          </SheetAction>
          <SheetAction
            Icon={CircleHelp}
            onClick={() => {
              onClose();
              onHelp();
            }}
          >
            {messages.keysHelp}
          </SheetAction>
          {hello !== null && (
            <>
              <hr className="mx-3 my-1 border-line-soft" />
              <SheetAction Icon={LogOut} onClick={() => logout.run()}>
                {logout.isFailed ? messages.logOutFailed : messages.logOut}
                <span className="ml-auto min-w-0 truncate text-ink-3">
                  <bdi translate="no">{hello.operator.name}</bdi>
                  {` · ${messages.ranks[getRole(hello.operator.may)]}`}
                </span>
              </SheetAction>
            </>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface SheetActionProps {
  Icon: LucideIcon;
  onClick(): void;
  children: ReactNode;
}

function SheetAction({ Icon, onClick, children }: SheetActionProps) {
  return (
    <button type="button" onClick={onClick} className={ROW_CLASS}>
      <RowIcon Icon={Icon} />
      {children}
    </button>
  );
}

function RowIcon({ Icon }: { Icon: LucideIcon }) {
  return <Icon aria-hidden size={17} strokeWidth={1.75} className="shrink-0 text-ink-2" />;
}
