"use client";

import { TargetLink } from "@/components/app/target-link.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { formatAgo, formatClock } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { emptyLocks } from "@/lib/i18n/en/empty-locks.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState, useServerNow } from "@/lib/live/hooks.ts";
import { useTargets } from "@/lib/queries/targets.ts";

/**
 * Shows that Lockkeeper has not reached the target since startup. Replaces the pages of the target, because there is no
 * data to show.
 */
export function TargetNeverReached() {
  const messages = useMessages(emptyLocks).neverReached;
  const { hello, health } = useLiveState();
  const targets = useTargets();
  const { name, label, address } = hello?.target ?? {};
  const since = targets?.find((target) => target.name === name)?.triedSince;
  if (label === undefined) return null;
  const where = <code className="font-mono text-xs text-ink">{address}</code>;
  return (
    <EmptyState title={messages.title(label)}>
      <p>
        {since === undefined
          ? messages.text(where)
          : messages.textSince(where, <DisconnectedSince at={since} />)}
      </p>
      {health?.detail !== undefined && (
        <p lang="en" translate="no" className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
          <SafeText text={health.detail} wrap />
        </p>
      )}
      <p>
        <TargetLink href="/targets" className="text-accent hover:underline">
          {messages.allTargets}
        </TargetLink>
      </p>
    </EmptyState>
  );
}

function DisconnectedSince({ at }: { at: number }) {
  const messages = useMessages(ui);
  const { aside } = useMessages(emptyLocks).neverReached;
  const now = useServerNow();
  return (
    <>
      <time dateTime={new Date(at).toISOString()}>{formatClock(at)}</time>
      {now !== null && <span className="text-ink-3">{aside(formatAgo(now - at, messages))}</span>}
    </>
  );
}
