"use client";

import clsx from "clsx";
import { formatLivenessEvidence } from "@/components/lock-facts/liveness-label.ts";
import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { formatAgo, formatElapsed, formatNumber } from "@/components/ui/format-duration.ts";
import type { Liveness, LivenessState } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

interface Tone {
  box: string;
  title: string;
  /** The color class of the bar that shows the time since the last renewal. */
  bar: string;
}

/**
 * The color classes of each liveness state. `overdue` is red, because it indicates an incident. `alive` is a warning,
 * because a release would take the lock from a working client.
 */
const TONES: Record<LivenessState, Tone> = {
  overdue: { box: "bg-bad-bg", title: "text-bad", bar: "bg-bad" },
  alive: { box: "bg-warn-bg", title: "text-warn", bar: "bg-warn" },
  unknown: { box: "bg-line-soft", title: "text-ink", bar: "bg-ink-3" },
  not_renewing: { box: "bg-line-soft", title: "text-ink", bar: "bg-ink-3" },
  no_ttl: { box: "bg-line-soft", title: "text-ink", bar: "bg-ink-3" },
};

/**
 * Shows the liveness of a lock's holder, with the evidence. Renders a note for a reservation, and nothing if the
 * liveness is `null`.
 */
export function HolderLiveness({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const { liveness, holders } = lock;
  if (holders.every(({ owner }) => parseReservedHold(owner) !== null))
    return <p className="text-ink-2">{messages.noWorker}</p>;
  if (liveness === null) return null;
  const { box, title } = TONES[liveness.state];
  return (
    <div data-testid="alive" className={clsx("flex flex-col gap-1 rounded-[9px] px-3 py-2.5", box)}>
      <p className={clsx("font-semibold", title)}>{messages.liveness[liveness.state]}</p>
      <p className="text-ink-2">
        <EvidenceSentence lock={lock} liveness={liveness} />
      </p>
      <LastRenewalText liveness={liveness} lock={lock} />
      {holders.length > 1 && <p className="text-2xs text-ink-2">{messages.wholeLock}</p>}
    </div>
  );
}

function EvidenceSentence({ lock, liveness }: { lock: Lock; liveness: Liveness }) {
  const lockText = useMessages(lockWords);
  const now = useServerNow() ?? lock.asOf;
  const watchedMs = liveness.watchedMs + Math.max(0, now - lock.asOf);
  const evidence = formatLivenessEvidence({ ...liveness, watchedMs }, now, lockText);
  return `${evidence.charAt(0).toUpperCase()}${evidence.slice(1)}`;
}

/**
 * Returns the time of the last renewal. If there was no renewal, returns the time of the latest acquire; `null` if that
 * is not known either.
 */
function getLastEvidenceAt({ holders }: Lock, { lastRenewalAt }: Liveness): number | null {
  const times = holders.flatMap(({ since }) => since ?? []);
  return lastRenewalAt ?? (times.length === 0 ? null : Math.max(...times));
}

/** Shows the time since the last renewal, with a bar that fills up over the renewal interval. */
function LastRenewalText({ liveness, lock }: { liveness: Liveness; lock: Lock }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const now = useServerNow() ?? lock.asOf;
  const lastSignAt = getLastEvidenceAt(lock, liveness);
  if (lastSignAt === null) return null;
  const silentMs = Math.max(0, now - lastSignAt);
  const { renewalIntervalMs, renewals } = liveness;
  return (
    <>
      {renewalIntervalMs !== null && (
        <RenewalProgress
          silentMs={silentMs}
          renewalIntervalMs={renewalIntervalMs}
          barClass={TONES[liveness.state].bar}
        />
      )}
      <p className="text-2xs text-ink-2">
        {renewals > 0
          ? messages.renewals(renewals, formatNumber(renewals))
          : messages.noRenewalSince(formatAgo(silentMs, uiMessages))}
      </p>
    </>
  );
}

interface RenewalProgressProps {
  silentMs: number;
  renewalIntervalMs: number;
  barClass: string;
}

function RenewalProgress({ silentMs, renewalIntervalMs, barClass }: RenewalProgressProps) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const share = silentMs / renewalIntervalMs;
  return (
    <span
      role="img"
      aria-label={messages.lastRenewal(
        formatElapsed(silentMs, uiMessages),
        formatElapsed(renewalIntervalMs, uiMessages),
      )}
      className="my-0.5 block h-1 overflow-hidden rounded-full bg-line"
    >
      <span
        className={clsx("block h-full origin-left rounded-full", barClass)}
        style={{ transform: `scaleX(${Math.min(1, share).toFixed(3)})` }}
      />
    </span>
  );
}
