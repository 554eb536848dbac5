"use client";

import { TargetLink } from "@/components/shell/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { formatAgo, formatClock } from "@/components/ui/duration.ts";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { useLive, useServerNow } from "@/lib/live/hooks.ts";
import { useTargets } from "@/lib/live/targets.ts";

export function NothingFound({ filter, onClear }: { filter: string; onClear(): void }) {
  return (
    <EmptyState title="No lock matches">
      <p>
        Nothing that is held matches{" "}
        <code className="font-mono text-xs text-ink">
          <SafeText text={filter} wrap />
        </code>
        . All words must match: plain words look in key, owner and record; <code>key:GLOB</code> and{" "}
        <code>owner:GLOB</code> look in one; <code>{"held>5m"}</code> compares.
      </p>
      <div>
        <Button onClick={onClear}>Clear the search</Button>
      </div>
    </EmptyState>
  );
}

/** Nothing is asked with a search that the server would refuse. */
export function NotASearch({ onClear }: { onClear(): void }) {
  return (
    <EmptyState title="This search cannot be understood">
      <p>What is wrong with it stands under the box. Nothing was asked with it, so no locks are shown.</p>
      <div>
        <Button onClick={onClear}>Clear the search</Button>
      </div>
    </EmptyState>
  );
}

/** The target that the page is about has not answered once, so there is nothing to show, not even what was. */
export function NeverReached() {
  const { hello, health } = useLive();
  const now = useServerNow();
  const targets = useTargets();
  const { name, label, address } = hello?.target ?? {};
  const since = targets?.find((target) => target.name === name)?.triedSince;
  if (label === undefined) return null;
  return (
    <EmptyState title={`${label} has not been reached yet`}>
      <p>
        Lockkeeper looks for it at <code className="font-mono text-xs text-ink">{address}</code>
        {since !== undefined && (
          <>
            {" "}
            since <time dateTime={new Date(since).toISOString()}>{formatClock(since)}</time>
            {now !== null && <span className="text-ink-3"> ({formatAgo(now - since)})</span>}
          </>
        )}
        , and has no locks of it to show. It tries again every few seconds; this page goes on by itself.
      </p>
      {health?.detail !== undefined && (
        <p className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
          <SafeText text={health.detail} wrap />
        </p>
      )}
      <p>
        <TargetLink href="/targets" className="text-accent hover:underline">
          All targets, and how each of them is
        </TargetLink>
      </p>
    </EmptyState>
  );
}
