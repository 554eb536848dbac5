"use client";

import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { Button } from "./button.tsx";
import { ProblemText } from "./problem-text.tsx";

interface ProblemNoteProps {
  /** The error to show; `null` if there is none. */
  problem: { message: string } | null;
  onAgain?: (() => void) | undefined;
}

/** Shows the error from a failed request, with a button that tries again if `onAgain` is set. */
export function ProblemNote({ problem, onAgain }: ProblemNoteProps) {
  const { tryAgain } = useMessages(ui);
  if (problem === null) return null;
  return (
    <div role="alert" className="flex items-center gap-3 rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
      <p className="flex-1 wrap-anywhere">
        <ProblemText problem={problem} />
      </p>
      {onAgain !== undefined && <Button onClick={onAgain}>{tryAgain}</Button>}
    </div>
  );
}
