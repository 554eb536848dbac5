"use client";

import { useState } from "react";
import { isProduction } from "@/components/shell/target-badges.tsx";
import { useFreeBlock } from "@/components/shell/use-block.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/duration.ts";
import { Field, INPUT } from "@/components/ui/field.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import { useLive } from "@/lib/live/hooks.ts";
import { BulkProgress } from "./bulk-progress.tsx";
import { BulkReview } from "./bulk-review.tsx";
import { type BulkState, type BulkWish, releasable } from "./bulk-state.ts";
import { ReasonField } from "./reason-field.tsx";
import { useBulk } from "./use-bulk.ts";

interface BulkSheetProps {
  wish: BulkWish;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}

const many = (count: number) => (count === 1 ? "1 lock" : `${formatNumber(count)} locks`);

/** First what would become of each, then why, then what became of each. */
export function BulkSheet({ wish, onClose, finalFocus }: BulkSheetProps) {
  const live = useLive();
  const bulk = useBulk(wish);
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { state } = bulk;
  const { step } = state;
  const target = live.hello?.target;
  const mustType = isProduction(target);
  const blocked =
    useFreeBlock() ??
    (reason.trim() === "" ? "Say why: a release needs a reason." : null) ??
    (mustType && typed !== target?.name ? "Type the name of the target." : null);
  const count = releasable(state).length;
  const decides = step.at === "reviewed" && count > 0;
  return (
    <Sheet
      title={titleOf(state)}
      stays={step.at === "freeing"}
      finalFocus={finalFocus}
      closeLabel={step.at === "freeing" ? "Stop" : decides ? "Cancel" : "Close"}
      onClose={step.at === "freeing" ? bulk.stop : onClose}
      onSubmit={() => decides && blocked === null && bulk.free(reason.trim(), mustType ? typed : undefined)}
      note={decides && live.hello !== null && `Recorded one by one as ${live.hello.operator.name}`}
      actions={
        decides && (
          <Button type="submit" look="danger" blocked={blocked}>
            Free {many(count)}
          </Button>
        )
      }
    >
      {step.at === "failed" && (
        <p role="alert" className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
          {step.why} Nothing was released.
        </p>
      )}
      {step.at === "freeing" || step.at === "ended" ? (
        <BulkProgress state={state} />
      ) : (
        <BulkReview state={state} />
      )}
      {decides && (
        <>
          <ReasonField reason={reason} onReason={setReason} error={step.error} />
          {mustType && (
            <Field label={`This is production. Type its name: ${target?.name ?? ""}`}>
              {(field) => (
                <input
                  {...field}
                  className={INPUT}
                  value={typed}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={(event) => setTyped(event.target.value)}
                />
              )}
            </Field>
          )}
        </>
      )}
    </Sheet>
  );
}

function titleOf(state: BulkState): string {
  const { step, reviewed } = state;
  if (step.at === "freeing") return `Freeing ${many(releasable(state).length)}…`;
  if (step.at === "ended") return "What became of them";
  return step.at === "reviewing" ? "Looking…" : `Free ${many(reviewed.length)}`;
}
