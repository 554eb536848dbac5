"use client";

import Link from "next/link";
import { useId } from "react";
import { StateDot, TargetBadges } from "@/components/app/target-badges.tsx";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { formatClock, formatNumber } from "@/components/ui/format-duration.ts";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { TargetSummary } from "@/lib/contract/target.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { targets } from "@/lib/i18n/en/targets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetHealth } from "@/lib/queries/target-health.ts";
import { FindingList } from "./finding-list.tsx";
import { MasterTable } from "./master-table.tsx";

export function TargetCard({ target }: { target: TargetSummary }) {
  const messages = useMessages(shell);
  const own = useMessages(targets);
  const health = useTargetHealth(target);
  const title = useId();
  const { name, label, topology, address, server, state, locks, detail, masters, triedSince } = target;
  const isRefusing = masters.some(({ writesRefused }) => writesRefused !== undefined);
  // The banner already shows the problem if this is the current target.
  const isInBanner = useLiveState().hello?.target.name === name && (state === "down" || isRefusing);
  const isWell = state === "live" || state === "catching_up";
  return (
    <section aria-labelledby={title} className="rounded-[10px] border border-line bg-panel">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-soft px-4 py-3">
        <h2 id={title} className="flex min-w-0 items-center gap-2 font-semibold">
          <StateDot state={state} />
          <span translate="no" className="truncate">
            {label}
          </span>
        </h2>
        <TargetBadges target={target} />
        <span className={isWell ? "text-ink-2" : "font-medium text-bad"}>{messages.states[state]}</span>
        <span className="flex-1" />
        {locks !== null && (
          <Link
            href={buildTargetHref("/", name)}
            className="text-accent hover:underline max-sm:relative max-sm:after:absolute max-sm:after:-inset-x-2 max-sm:after:-inset-y-3"
          >
            {own.locks(locks, formatNumber(locks))}
          </Link>
        )}
        <p className="w-full text-ink-3">
          <span className="font-mono text-xs">
            <SafeText text={name} />
          </span>
          {own.between}
          {own.topologies[topology]}
          {own.between}
          <span translate="no">{address}</span>
          {server !== null && own.between}
          {server !== null && <span translate="no">{server}</span>}
        </p>
        {(!isWell || isRefusing) && !isInBanner && detail !== undefined && (
          <p lang="en" translate="no" className="w-full text-bad">
            {detail}
          </p>
        )}
        {triedSince !== undefined && (
          <p className="w-full text-ink-2">{own.triedSince(formatClock(triedSince))}</p>
        )}
      </div>
      {masters.length > 0 && <MasterTable masters={masters} reports={health.data?.reports} />}
      <TargetFindings
        isDown={state === "down"}
        health={health}
        masters={masters.map((master) => master.name)}
      />
    </section>
  );
}

interface TargetFindingsProps {
  isDown: boolean;
  health: ReturnType<typeof useTargetHealth>;
  masters: readonly string[];
}

function TargetFindings({ isDown, health, masters }: TargetFindingsProps) {
  const messages = useMessages(targets);
  // The header of the card or the banner already shows why the target is down.
  if (isDown && health.data === undefined) return null;
  if (health.isError && !isDown) {
    return (
      <div role="alert" className="flex items-center gap-3 px-4 py-3 text-bad">
        <p className="flex-1">
          <ProblemText problem={health.error} />
        </p>
        <Button onClick={() => void health.refetch()}>{messages.again}</Button>
      </div>
    );
  }
  if (health.data === undefined) return <p className="px-4 py-3 text-ink-3">{messages.loading}</p>;
  const { findings, unreadableKeys } = health.data;
  return <FindingList findings={findings} masters={masters} unreadableKeys={unreadableKeys} />;
}
