"use client";

import { LockFinder } from "@/components/formats/lock-finder.tsx";
import { TargetLink } from "@/components/shell/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Command } from "@/components/ui/command.tsx";
import { formatAgo, formatClock } from "@/components/ui/duration.ts";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { BASE_PATH } from "@/lib/live/base-path.ts";
import { useLive, useServerNow } from "@/lib/live/hooks.ts";
import { useTargets } from "@/lib/live/targets.ts";

function acquireCommand(origin: string): string {
  return [
    `curl ${origin}${BASE_PATH}/api/v1/locks/lock:orders:42/acquire \\`,
    `  -H "Authorization: Bearer $LOCKKEEPER_ROOT_KEY" \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"owner":"checkout@pod-7:311","leaseMs":60000,"record":{"service":"checkout"}}'`,
  ].join("\n");
}

export function NothingHeld({ watch }: { watch: readonly string[] }) {
  return (
    <EmptyState title="No locks are held">
      <p>
        A lock appears here the moment somebody takes it. Take one yourself; it shows within a second and
        counts down:
      </p>
      <Command text={acquireCommand(location.origin)} label="Copy the command" />
      <p>
        The key was printed at the first start, or is what you set as{" "}
        <code className="font-mono text-xs">LOCKKEEPER_ROOT_KEY</code>. Locks of other clients, Redisson's for
        instance, are listed too when their key matches{" "}
        {watch.map((pattern, index) => (
          <span key={pattern}>
            {index > 0 && ", "}
            <code className="font-mono text-xs">
              <SafeText text={pattern} />
            </code>
          </span>
        ))}
        . Are there others?
      </p>
      <LockFinder />
    </EmptyState>
  );
}

export function NothingFound({ filter, onClear }: { filter: string; onClear(): void }) {
  return (
    <EmptyState title="No lock matches">
      <p>
        Nothing that is held matches{" "}
        <code className="font-mono text-xs text-ink">
          <SafeText text={filter} wrap />
        </code>
        . All words must match: plain words look in key, owner and record; <code>key:GLOB</code> and{" "}
        <code>owner:GLOB</code> look in one.
      </p>
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

export function Unreachable() {
  return (
    <EmptyState title="Lockkeeper cannot be reached">
      <p>
        The page is here, its server is not. It tries again every few seconds and goes on by itself. Is{" "}
        <code className="font-mono text-xs">npm start</code> still running?
      </p>
    </EmptyState>
  );
}
