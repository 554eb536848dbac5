"use client";

import { formatNumber } from "@/components/ui/duration.ts";
import { BulkLines } from "./bulk-lines.tsx";
import { type BulkState, countsOf, OUTCOME_WORDS } from "./bulk-state.ts";

/** How far it is, and at the end what became of each. */
export function BulkProgress({ state }: { state: BulkState }) {
  const { step, freed, total = 0 } = state;
  const counts = countsOf(freed);
  const released = freed.filter(({ outcome }) => outcome === "released" || outcome === "already_gone");
  const rest = freed.filter(({ outcome }) => outcome !== "released" && outcome !== "already_gone");
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <progress
          aria-label="Freed so far"
          max={Math.max(1, total)}
          value={freed.length}
          className="h-1.5 w-full accent-accent"
        />
        <p className="text-ink-2">
          {formatNumber(freed.length)} of {formatNumber(total)}
        </p>
      </div>
      <div
        role="status"
        data-testid="bulk-outcome"
        className="flex flex-col gap-1 rounded-[9px] bg-line-soft px-3 py-2.5"
      >
        <p className="font-semibold">{headOf(state, counts.get("released") ?? 0)}</p>
        {[...counts].map(([outcome, count]) => (
          <p key={outcome}>
            {formatNumber(count)} {OUTCOME_WORDS[outcome]}
          </p>
        ))}
        {step.at === "ended" && <Untold how={step.how} untold={total - freed.length} />}
      </div>
      <BulkLines title="Not freed" lines={rest} withOutcome />
      <BulkLines title="Freed" lines={released} withOutcome />
    </>
  );
}

function headOf({ step, total = 0 }: BulkState, released: number): string {
  if (step.at === "freeing") return "Freeing…";
  if (step.at === "ended" && step.how === "stopped") return `Stopped: ${formatNumber(released)} freed.`;
  if (step.at === "ended" && step.how === "cut")
    return `The answer broke off: ${formatNumber(released)} freed.`;
  return released === total ? "All freed." : `${formatNumber(released)} of ${formatNumber(total)} freed.`;
}

function Untold({ how, untold }: { how: "done" | "stopped" | "cut"; untold: number }) {
  if (how === "done" || untold <= 0) return null;
  return (
    <p className="text-warn">
      {formatNumber(untold)}{" "}
      {how === "stopped" ? "not begun, or finished after the stop" : "without an answer"}: the table and the
      events show what became of them.
    </p>
  );
}
