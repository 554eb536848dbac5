"use client";

import clsx from "clsx";
import { LivenessEvidence } from "@/components/lock-facts/liveness-text.tsx";
import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { formatAgo, formatElapsed, formatNumber } from "@/components/ui/format-duration.ts";
import type { Liveness, LivenessState } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

/** Freeing what is alive is what does harm: that is what is painted. */
const TONES: Record<LivenessState, string> = {
  alive: "bg-warn-bg text-warn",
  unknown: "bg-warn-bg text-warn",
  overdue: "bg-line-soft text-ink",
  not_renewing: "bg-line-soft text-ink",
  no_ttl: "bg-line-soft text-ink",
};

/** Whether the holder is alive, with all that speaks for it or against it. */
export function HolderLiveness({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const { liveness, holders } = lock;
  if (holders.every(({ owner }) => parseReservedHold(owner) !== null))
    return <p className="text-ink-2">{messages.nobodyWorks}</p>;
  if (liveness === null) return null;
  const [box = "", ink = ""] = TONES[liveness.state].split(" ");
  return (
    <div data-testid="alive" className={clsx("flex flex-col gap-1 rounded-[9px] px-3 py-2.5", box)}>
      <p className={clsx("font-semibold", ink)}>{messages.liveness[liveness.state]}</p>
      {/* The weakest ink is too weak on a tint. */}
      <p className="text-ink-2 [&_.text-ink-3]:text-ink-2">
        <LivenessEvidence lock={lock} />
      </p>
      <LastRenewalText liveness={liveness} lock={lock} />
      {holders.length > 1 && <p className="text-2xs text-ink-2">{messages.ofAll}</p>}
    </div>
  );
}

/** When it was heard of last: its last renewal, or that it took the lock. */
function getLastSignOfLife({ holders }: Lock, { lastRenewalAt }: Liveness): number | null {
  const times = holders.flatMap(({ since }) => since ?? []);
  return lastRenewalAt ?? (times.length === 0 ? null : Math.max(...times));
}

/** The time since then, as a share of what is typical between two renewals. */
function LastRenewalText({ liveness, lock }: { liveness: Liveness; lock: Lock }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const now = useServerNow() ?? lock.asOf;
  const lastSignAt = getLastSignOfLife(lock, liveness);
  if (lastSignAt === null) return null;
  const silentMs = Math.max(0, now - lastSignAt);
  const { renewalIntervalMs, renewals } = liveness;
  return (
    <>
      {renewalIntervalMs !== null && (
        <RenewalProgress silentMs={silentMs} renewalIntervalMs={renewalIntervalMs} />
      )}
      <p className="text-2xs text-ink-2">
        {renewals > 0
          ? messages.renewals(renewals, formatNumber(renewals))
          : messages.lastHeard(formatAgo(silentMs, uiMessages))}
      </p>
    </>
  );
}

function RenewalProgress({ silentMs, renewalIntervalMs }: { silentMs: number; renewalIntervalMs: number }) {
  const messages = useMessages(english);
  const share = silentMs / renewalIntervalMs;
  return (
    <span
      role="img"
      aria-label={messages.heartbeat(formatElapsed(silentMs), formatElapsed(renewalIntervalMs))}
      className="my-0.5 block h-1 overflow-hidden rounded-full bg-line"
    >
      <span
        className={clsx("block h-full origin-left rounded-full", share > 1 ? "bg-bad" : "bg-ok")}
        style={{ transform: `scaleX(${Math.min(1, share).toFixed(3)})` }}
      />
    </span>
  );
}
