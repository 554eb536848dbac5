"use client";

import Link from "next/link";
import { useId } from "react";
import { StateDot, TargetBadges } from "@/components/shell/target-badges.tsx";
import { hrefAt } from "@/components/shell/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/duration.ts";
import type { TargetSummary } from "@/lib/contract/target.ts";
import { useTargetHealth } from "@/lib/live/targets.ts";
import { shell } from "@/lib/words/en/shell.tsx";
import { useWords } from "@/lib/words/words.tsx";
import { FindingList } from "./finding-list.tsx";
import { MasterTable } from "./master-table.tsx";

export function TargetCard({ target }: { target: TargetSummary }) {
  const words = useWords(shell);
  const title = useId();
  const { name, label, topology, address, server, state, locks, detail, masters } = target;
  const isWell = state === "live" || state === "catching_up";
  return (
    <section aria-labelledby={title} className="rounded-[10px] border border-line bg-panel">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-soft px-4 py-3">
        <h2 id={title} className="flex min-w-0 items-center gap-2 font-semibold">
          <StateDot state={state} />
          <span className="truncate">{label}</span>
        </h2>
        <TargetBadges target={target} />
        <span className={isWell ? "text-ink-2" : "font-medium text-bad"}>{words.states[state]}</span>
        <span className="flex-1" />
        {locks !== null && (
          <Link href={hrefAt("/", name)} className="text-accent hover:underline">
            {locks === 1 ? "1 lock" : `${formatNumber(locks)} locks`}
          </Link>
        )}
        <p className="w-full text-ink-3">
          <span className="font-mono text-xs">{name}</span>, {topology}, {address}
          {server !== null && `, ${server}`}
        </p>
        {!isWell && detail !== undefined && <p className="w-full text-bad">{detail}</p>}
      </div>
      {masters.length > 0 && <MasterTable masters={masters} />}
      {server !== null && <Findings name={name} many={masters.length > 1} />}
    </section>
  );
}

function Findings({ name, many }: { name: string; many: boolean }) {
  const health = useTargetHealth(name);
  if (health.isError) {
    return (
      <div role="alert" className="flex items-center gap-3 px-4 py-3 text-bad">
        <p className="flex-1">{health.error.message}</p>
        <Button onClick={() => void health.refetch()}>Try again</Button>
      </div>
    );
  }
  if (health.data === undefined) return <p className="px-4 py-3 text-ink-3">Looking…</p>;
  return <FindingList findings={health.data.findings} many={many} />;
}
