"use client";

import { useState } from "react";
import { isProduction, TargetBadges } from "@/components/app/target-badges.tsx";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { bulk as english } from "@/lib/i18n/en/bulk.ts";
import { release } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { ConfirmNameField, ReasonField } from "../../ui/reason-field.tsx";
import { BulkProgress } from "./bulk-progress.tsx";
import { BulkReview } from "./bulk-review.tsx";
import { type BulkSelection, type BulkState, findReleasable, findRemainingItems } from "./bulk-state.ts";
import { type BulkRelease, useBulkRelease } from "./use-bulk-release.ts";

interface BulkReleaseSheetProps {
  selection: BulkSelection;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}

export function BulkReleaseSheet({ selection, onClose, finalFocus }: BulkReleaseSheetProps) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const live = useLiveState();
  const bulk = useBulkRelease(selection);
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { state } = bulk;
  const { step } = state;
  const target = live.hello?.target;
  const confirmed = isProduction(target) ? target : undefined;
  const blocked = useBulkBlockedReason(reason, typed, confirmed?.label);
  const count = findReleasable(state).length;
  const decides = step.at === "reviewed" && count > 0;
  const isFreeing = step.at === "releasing";
  return (
    <Sheet
      title={
        <span className="flex flex-wrap items-baseline gap-2">
          {formatBulkTitle(state, messages)}
          {target !== undefined && <TargetBadges target={target} />}
        </span>
      }
      width="wide"
      sends="button"
      stays={isFreeing}
      finalFocus={finalFocus}
      closeLabel={isFreeing ? messages.stop : decides ? uiMessages.cancel : uiMessages.close}
      onClose={isFreeing ? bulk.stop : onClose}
      onSubmit={() => decides && blocked === null && bulk.release(reason.trim(), confirmed?.name)}
      note={decides && live.hello !== null && messages.recorded(live.hello.operator.name)}
      actions={
        decides && (
          <Button type="submit" variant="danger" blocked={blocked}>
            {messages.release(count, formatNumber(count))}
          </Button>
        )
      }
    >
      {step.at === "failed" && (
        <p role="alert" className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
          <ProblemText problem={step.why} /> {messages.nothingReleased}
        </p>
      )}
      {isFreeing || step.at === "ended" ? <BulkProgress bulk={bulk} /> : <BulkReview state={state} />}
      {step.at === "reviewed" && <ReviewAgainButton bulk={bulk} />}
      {decides && (
        <ReasonField
          reason={reason}
          onReason={setReason}
          error={step.error && <ProblemText problem={step.error} />}
        />
      )}
      {decides && confirmed !== undefined && (
        <ConfirmNameField label={messages.production(confirmed.label)} typed={typed} onType={setTyped} />
      )}
    </Sheet>
  );
}

/**
 * Renders a button that reviews the remaining locks again. The review did not find these locks releasable, for example
 * because their holder changed.
 */
function ReviewAgainButton({ bulk: { state, reviewAgain } }: { bulk: BulkRelease }) {
  const messages = useMessages(english);
  const left = findRemainingItems(state).length;
  if (left === 0) return null;
  return (
    <Button className="self-start max-sm:h-11" onClick={reviewAgain}>
      {messages.reviewCurrent(left, formatNumber(left))}
    </Button>
  );
}

/**
 * Returns why the bulk release cannot be sent; `null` if it can be sent.
 *
 * @param label label of the target if the operator must type it; otherwise `undefined`
 */
function useBulkBlockedReason(reason: string, typed: string, label: string | undefined): string | null {
  const messages = useMessages(english);
  const { typeName } = useMessages(release);
  const block = useReleaseBlockedReason();
  if (block !== null) return block;
  if (reason.trim() === "") return messages.reasonRequired;
  return label === undefined || typed.trim() === label ? null : typeName(label);
}

function formatBulkTitle(state: BulkState, messages: typeof english): string {
  const { step, reviewed } = state;
  const count = findReleasable(state).length;
  if (step.at === "releasing") return messages.titleReleasing(count, formatNumber(count));
  if (step.at === "ended") return messages.titleEnded;
  if (step.at === "reviewing") return messages.titleReviewing;
  return messages.titleReviewed(reviewed.length, formatNumber(reviewed.length));
}
