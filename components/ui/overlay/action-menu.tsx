"use client";

import { Menu } from "@base-ui/react/menu";
import clsx from "clsx";
import type { ReactNode } from "react";

export interface MenuAction {
  id: string;
  name: string;
  /** The second line of the item: the effect of the action, or the text to copy. */
  hint?: ReactNode;
  /** Why the item is disabled; `null` or `undefined` if it is enabled. Shown instead of the hint. */
  blocked?: string | null | undefined;
  variant?: "danger" | undefined;
  /** Whether a line separates the item from the previous one. */
  apart?: boolean;
  /** The URL of a download. The item is also a link, which the user can open in a new tab. */
  href?: string;
  run(): void;
}

interface ActionMenuProps {
  /** The title and accessible name of the menu. */
  label: string;
  anchor: Element | null;
  actions: readonly MenuAction[];
  align?: "start" | "end";
  onClose(): void;
  /** Returns the element that receives the focus when the menu closes. */
  finalFocus(): HTMLElement | null;
}

/** Renders a menu of actions. Load this component on demand, because it includes the overlay code. */
export function ActionMenu({ label, anchor, actions, align = "end", onClose, finalFocus }: ActionMenuProps) {
  return (
    <Menu.Root open onOpenChange={(open) => open || onClose()}>
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} sideOffset={4} align={align} className="z-40">
          <Menu.Popup
            aria-label={label}
            finalFocus={() => finalFocus()}
            className="max-h-[70dvh] w-[340px] max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-[10px] border border-line bg-panel p-1 shadow-sheet outline-none"
          >
            {actions.map((action) => (
              <ActionMenuItem key={action.id} action={action} />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function ActionMenuItem({ action }: { action: MenuAction }) {
  const { name, hint, blocked, variant, apart, href, run } = action;
  const isBlocked = blocked !== null && blocked !== undefined;
  const second = isBlocked ? blocked : hint;
  return (
    <>
      {apart === true && <Menu.Separator className="mx-1 my-1 h-px bg-line-soft" />}
      <Menu.Item
        label={name}
        // A disabled item remains focusable, and a click keeps the menu open, so that the user can read the reason.
        closeOnClick={!isBlocked}
        aria-disabled={isBlocked || undefined}
        {...(href !== undefined && !isBlocked && { render: renderDownloadLink(href) })}
        onClick={(event) => {
          const wantsLink = href !== undefined && (event.metaKey || event.ctrlKey || event.shiftKey);
          if (isBlocked || wantsLink) return;
          event.preventDefault();
          run();
        }}
        className={clsx(
          "block min-h-8 rounded-[7px] px-2.5 py-1.5 outline-none data-highlighted:bg-line-soft",
          isBlocked ? "cursor-not-allowed text-ink-3" : variant === "danger" ? "text-bad" : "text-ink",
        )}
      >
        {name}
        {second !== undefined && <span className="block truncate text-2xs text-ink-3">{second}</span>}
      </Menu.Item>
    </>
  );
}

function renderDownloadLink(href: string) {
  // biome-ignore lint/a11y/useAnchorContent: the item inserts its own content
  return <a href={href} download />;
}
