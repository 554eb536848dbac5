"use client";

import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { LivenessStateText } from "@/components/lock-facts/liveness-text.tsx";
import { LockLink } from "@/components/lock-facts/lock-link.tsx";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { formatElapsed, formatNumber } from "@/components/ui/format-duration.ts";
import { Section } from "@/components/ui/section.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { RootBlocker } from "@/lib/contract/waits/waits.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { waits } from "@/lib/i18n/en/waits.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { type LockToRelease, ReleaseBlockerButton } from "./release-blocker.tsx";
import { WaitTree } from "./wait-tree.tsx";

interface RootBlockersProps {
  roots: readonly RootBlocker[];
  leftOut: number;
  onRelease(lock: LockToRelease): void;
}

/** Lists the root blockers, each with the clients that wait behind it. */
export function RootBlockers({ roots, leftOut, onRelease }: RootBlockersProps) {
  const messages = useMessages(waits);
  return (
    <Section title={messages.roots} text={messages.rootsHelp}>
      <ul className="flex flex-col px-4 py-1">
        {roots.map((root) => (
          <li key={toLockPath(root)} className="border-b border-line py-2 last:border-0">
            <RootBlockerRow root={root} onRelease={onRelease} />
            <WaitTree tree={root} label={messages.behind(formatNumber(root.waiting))} />
          </li>
        ))}
      </ul>
      {leftOut > 0 && <p className="px-4 pb-3 text-ink-3">{messages.rootsLeftOut(formatNumber(leftOut))}</p>}
    </Section>
  );
}

interface RootBlockerRowProps {
  root: RootBlocker;
  onRelease(lock: LockToRelease): void;
}

function RootBlockerRow({ root, onRelease }: RootBlockerRowProps) {
  const messages = useMessages(waits);
  const uiMessages = useMessages(ui);
  const { holders, holdersLeftOut, waiting, waitedMs, liveness, isBehindUnreadable } = root;
  const count = holders.length + holdersLeftOut;
  const [holder] = holders;
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 truncate font-medium">
        {count > 1 ? messages.holders(formatNumber(count)) : holder && <HolderName holder={holder} />}
      </span>
      <LockLink fields={root} />
      {liveness !== "unknown" && <LivenessStateText state={liveness} />}
      {isBehindUnreadable && <span className="text-warn">{messages.behindUnreadable}</span>}
      <span className="ml-auto whitespace-nowrap">
        {messages.behind(formatNumber(waiting))}
        {waitedMs > 0 && (
          <span className="text-ink-2"> · {messages.inTotal(formatElapsed(waitedMs, uiMessages))}</span>
        )}
      </span>
      <ReleaseBlockerButton
        fields={root}
        owner={toVisibleText(holder?.owner ?? "")}
        holders={count}
        onRelease={onRelease}
      />
    </div>
  );
}
