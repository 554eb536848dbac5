"use client";

import { useTargets } from "@/lib/live/targets.ts";
import { TargetCard } from "./target-card.tsx";

/** Every Redis that is looked at, and what makes it unsafe for locks. */
export function TargetsPage() {
  const targets = useTargets();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-[1080px] flex-col gap-4 px-3 py-4 sm:px-5">
        <div>
          <h1 className="text-lg font-semibold tracking-tight">Targets</h1>
          <p className="text-ink-2">
            Each Redis that is looked at, and what could make it lose locks or grant them twice. Nothing is
            changed from here: the commands are for you to judge and to run.
          </p>
        </div>
        {targets === undefined && <p className="text-ink-3">Looking…</p>}
        {targets?.map((target) => (
          <TargetCard key={target.name} target={target} />
        ))}
      </div>
    </div>
  );
}
