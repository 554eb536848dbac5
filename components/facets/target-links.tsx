"use client";

import clsx from "clsx";
import Link from "next/link";
import { useId } from "react";
import { StateDot } from "@/components/app/target-badges.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { facets } from "@/lib/i18n/en/facets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useTargetName, useTargets } from "@/lib/queries/targets.ts";

/** Shows links to the same search on each target. Shows nothing if there is only one target. */
export function TargetLinks({ filter }: { filter: string }) {
  const messages = useMessages(facets);
  const id = useId();
  const targets = useTargets() ?? [];
  const here = useTargetName() ?? targets[0]?.name;
  if (targets.length < 2) return null;
  return (
    <nav aria-labelledby={id}>
      <h3 id={id} className="px-1.5 pb-0.5 text-2xs font-semibold text-ink-2">
        {messages.targets}
      </h3>
      <ul>
        {targets.map(({ name, label, state, locks }) => (
          <li key={name}>
            <Link
              href={`/?${new URLSearchParams({ target: name, ...(filter === "" ? {} : { q: filter }) })}`}
              prefetch={false}
              aria-current={name === here ? "true" : undefined}
              className={clsx(
                "flex min-h-6 items-center gap-2 rounded-[5px] px-1.5 hover:bg-line-soft max-sm:min-h-11",
                name === here ? "bg-selected font-medium" : "text-ink-2 hover:text-ink",
              )}
            >
              <StateDot state={state} />
              <span className="min-w-0 flex-1 truncate">{label}</span>
              {state === "down" || locks === null ? (
                <span className="text-bad">{messages.unreachable}</span>
              ) : (
                <span className="text-ink-3">{formatNumber(locks)}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
