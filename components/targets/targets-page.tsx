"use client";

import { PageHeader, SECTION_PAGE_CLASS } from "@/components/ui/page-header.tsx";
import { targets as room } from "@/lib/i18n/en/targets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useTargets } from "@/lib/queries/targets.ts";
import { TargetCard } from "./target-card.tsx";

/** Lists all watched targets, each with the settings that put its locks at risk. */
export function TargetsPage() {
  const messages = useMessages(room);
  const targets = useTargets();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className={SECTION_PAGE_CLASS}>
        <div>
          <PageHeader title={messages.title} />
          <p className="text-ink-2">{messages.intro}</p>
        </div>
        {targets === undefined && <p className="text-ink-3">{messages.loading}</p>}
        {targets?.map((target) => (
          <TargetCard key={target.name} target={target} />
        ))}
      </div>
    </div>
  );
}
