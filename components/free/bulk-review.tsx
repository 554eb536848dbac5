"use client";

import { formatNumber } from "@/components/ui/duration.ts";
import type { BulkItemLine } from "@/lib/contract/bulk.ts";
import { BulkLines } from "./bulk-lines.tsx";
import { BULK_ITEMS_MAX, type BulkState, releasable } from "./bulk-state.ts";

/** What would be freed, what not and why, and what to know before. */
export function BulkReview({ state }: { state: BulkState }) {
  const { step, found, reviewed } = state;
  const free = releasable(state);
  const left = reviewed.filter(({ outcome }) => outcome !== "would_release");
  if (step.at === "reviewing" && reviewed.length === 0) {
    return (
      <p role="status" className="text-ink-3">
        Looking at each of them…
      </p>
    );
  }
  return (
    <>
      {found !== undefined && found > BULK_ITEMS_MAX && (
        <p className="rounded-[9px] bg-warn-bg px-3 py-2.5 text-warn">
          {formatNumber(found)} are meant; these are the first {formatNumber(BULK_ITEMS_MAX)}. The others stay
          as they are.
        </p>
      )}
      <Warnings lines={free} />
      <BulkLines title={`Would be freed: ${formatNumber(free.length)}`} lines={free} />
      <BulkLines title={`Left alone: ${formatNumber(left.length)}`} lines={left} withOutcome />
      {step.at === "reviewed" && free.length > 0 && (
        <p className="text-2xs text-ink-3">
          Each is freed only if it is still the hold that stands here. Holds that begin later are left alone.
        </p>
      )}
      {step.at === "reviewed" && free.length === 0 && <p className="text-ink-2">There is nothing to free.</p>}
    </>
  );
}

function Warnings({ lines }: { lines: readonly BulkItemLine[] }) {
  const alive = lines.filter(({ seen }) => seen?.verdict === "renewing").length;
  const shared = lines.filter(({ seen }) => (seen?.others ?? 0) > 0).length;
  const unfenced = lines.filter(({ seen }) => seen?.confidence !== "certain").length;
  const texts = [
    alive > 0 && `${formatNumber(alive)} of their holders renew: they are alive, and may be working.`,
    shared > 0 && `Of ${formatNumber(shared)} others keep a part.`,
    unfenced > 0 && `Of ${formatNumber(unfenced)} the format is not certain.`,
  ].filter((text) => text !== false);
  if (texts.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 rounded-[9px] bg-warn-bg px-3 py-2.5 text-warn">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
