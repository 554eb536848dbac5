"use client";

import { Menu } from "@base-ui/react/menu";
import { Check, ChevronDown } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { formatNumber } from "@/components/ui/format-duration.ts";
import type { TargetSummary } from "@/lib/contract/target.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { StateDot, TargetBadges } from "../app/target-badges.tsx";
import { buildTargetHref } from "../app/target-link.tsx";

interface TargetMenuProps {
  targets: readonly TargetSummary[];
  /** The current target; `undefined` if it is not in the list. */
  here: TargetSummary | undefined;
}

/**
 * Renders a menu of all targets with their state. Selecting a target opens the same page for that target. On a lock
 * page, selecting a target opens the lock list.
 */
export function TargetMenu({ targets, here }: TargetMenuProps) {
  const messages = useMessages(shell);
  const pathname = usePathname();
  // The lock of a lock page may not exist on another target.
  const page = pathname.startsWith("/locks/") ? "/" : pathname;
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={messages.target(here?.label ?? messages.noTarget)}
        title={here?.address}
        className="flex h-7 min-w-0 items-center gap-2 rounded-[7px] max-lg:max-w-64 max-lg:shrink-0 max-sm:max-w-[56vw] border border-line bg-panel px-2.5 hover:bg-line-soft max-sm:relative max-sm:after:absolute max-sm:after:inset-x-0 max-sm:after:-inset-y-2"
      >
        {here !== undefined && <StateDot state={here.state} />}
        <span className="truncate font-semibold">{here?.label ?? messages.noSuchTarget}</span>
        {here !== undefined && <TargetBadges target={here} />}
        <span className="truncate text-ink-3 max-lg:hidden">{here?.address}</span>
        <ChevronDown aria-hidden size={13} className="shrink-0 text-ink-3" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="start" className="z-40">
          <Menu.Popup className="max-h-[70dvh] w-[420px] max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-[10px] border border-line bg-panel p-1 shadow-sheet outline-none">
            {targets.map((target) => (
              <Menu.Item
                key={target.name}
                render={<Link href={buildTargetHref(page, target.name)} prefetch={false} />}
                className="flex min-h-10 items-center gap-2 rounded-[7px] px-2.5 py-1.5 outline-none data-highlighted:bg-line-soft"
              >
                <StateDot state={target.state} />
                <span className="min-w-0 flex-1">
                  <span className="flex items-center gap-2">
                    <span className="truncate font-medium">{target.label}</span>
                    <TargetBadges target={target} />
                  </span>
                  <span className="block truncate text-2xs text-ink-3">{target.address}</span>
                </span>
                <span className={target.state === "live" ? "text-ink-2" : "text-bad"}>
                  {formatTargetState(target, messages)}
                </span>
                <Check
                  aria-hidden
                  size={14}
                  className={target.name === here?.name ? "text-accent" : "invisible"}
                />
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function formatTargetState({ state, locks }: TargetSummary, messages: Messages["shell"]): string {
  return state === "live" && locks !== null ? messages.held(formatNumber(locks)) : messages.states[state];
}
