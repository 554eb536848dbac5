"use client";

import clsx from "clsx";
import { VerdictEvidence } from "@/components/lock-facts/liveness-text.tsx";
import { holdOffOf } from "@/components/lock-facts/lock-texts.ts";
import { formatAgo, formatElapsed, formatNumber } from "@/components/ui/format-duration.ts";
import type { Verdict, VerdictState } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

/** Freeing what is alive is what does harm: that is what is painted. */
const TONES: Record<VerdictState, string> = {
  renewing: "bg-warn-bg text-warn",
  unknown: "bg-warn-bg text-warn",
  late: "bg-line-soft text-ink",
  "fixed-lease": "bg-line-soft text-ink",
  "no-expiry": "bg-line-soft text-ink",
};

/** Whether the holder is alive, with all that speaks for it or against it. */
export function HolderAlive({ lock }: { lock: Lock }) {
  const words = useWords(english);
  const { verdict, holders } = lock;
  if (holders.every(({ owner }) => holdOffOf(owner) !== null))
    return <p className="text-ink-2">{words.nobodyWorks}</p>;
  if (verdict === null) return null;
  const [box = "", ink = ""] = TONES[verdict.state].split(" ");
  return (
    <div data-testid="alive" className={clsx("flex flex-col gap-1 rounded-[9px] px-3 py-2.5", box)}>
      <p className={clsx("font-semibold", ink)}>{words.verdicts[verdict.state]}</p>
      {/* The weakest ink is too weak on a tint. */}
      <p className="text-ink-2 [&_.text-ink-3]:text-ink-2">
        <VerdictEvidence lock={lock} />
      </p>
      <Heard verdict={verdict} lock={lock} />
      {holders.length > 1 && <p className="text-2xs text-ink-2">{words.ofAll}</p>}
    </div>
  );
}

/** When it was heard of last: its last renewal, or that it took the lock. */
function heardAtOf({ holders }: Lock, { lastRenewalAt }: Verdict): number | null {
  const times = holders.flatMap(({ since }) => since ?? []);
  return lastRenewalAt ?? (times.length === 0 ? null : Math.max(...times));
}

/** The time since then, as a share of what is usual between two renewals. */
function Heard({ verdict, lock }: { verdict: Verdict; lock: Lock }) {
  const words = useWords(english);
  const uiWords = useWords(ui);
  const now = useServerNow() ?? lock.asOf;
  const heardAt = heardAtOf(lock, verdict);
  if (heardAt === null) return null;
  const silentMs = Math.max(0, now - heardAt);
  const { cadenceMs, renewals } = verdict;
  return (
    <>
      {cadenceMs !== null && <Heartbeat silentMs={silentMs} cadenceMs={cadenceMs} />}
      <p className="text-2xs text-ink-2">
        {renewals > 0
          ? words.renewals(renewals, formatNumber(renewals))
          : words.lastHeard(formatAgo(silentMs, uiWords))}
      </p>
    </>
  );
}

function Heartbeat({ silentMs, cadenceMs }: { silentMs: number; cadenceMs: number }) {
  const words = useWords(english);
  const share = silentMs / cadenceMs;
  return (
    <span
      role="img"
      aria-label={words.heartbeat(formatElapsed(silentMs), formatElapsed(cadenceMs))}
      className="my-0.5 block h-1 overflow-hidden rounded-full bg-line"
    >
      <span
        className={clsx("block h-full origin-left rounded-full", share > 1 ? "bg-bad" : "bg-ok")}
        style={{ transform: `scaleX(${Math.min(1, share).toFixed(3)})` }}
      />
    </span>
  );
}
