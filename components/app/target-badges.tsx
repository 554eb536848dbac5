"use client";

import clsx from "clsx";
import type { TargetSummary } from "@/lib/contract/target.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface TargetKind {
  environment?: string | undefined;
  readOnly: boolean;
}

export function isProduction(target: { environment?: string | undefined } | null | undefined): boolean {
  return target?.environment === "production";
}

/** Shows the environment and read-only badges of a target. */
export function TargetBadges({ target: { environment, readOnly } }: { target: TargetKind }) {
  const messages = useMessages(shell);
  return (
    <>
      {environment !== undefined && (
        <span
          className={clsx(
            "shrink-0 rounded-[4px] border text-2xs",
            isProduction({ environment })
              ? "border-bad bg-bad px-1.5 font-semibold tracking-wide text-bad-ink uppercase"
              : "border-line px-1 text-ink-2",
          )}
        >
          {environment}
        </span>
      )}
      {readOnly && (
        <span className="shrink-0 rounded-[4px] border border-line px-1 text-2xs text-ink-2">
          {messages.readOnly}
        </span>
      )}
    </>
  );
}

type TargetState = TargetSummary["state"];

const DOT_CLASSES: Record<TargetState, string> = {
  live: "bg-ok",
  catching_up: "bg-warn",
  partial: "bg-bad",
  down: "bg-bad",
};

/**
 * Shows a dot in the color of the state. The dot is invisible to screen readers, so the caller must also provide the
 * state as text.
 */
export function StateDot({ state }: { state: TargetState }) {
  return <span aria-hidden className={clsx("size-[7px] shrink-0 rounded-full", DOT_CLASSES[state])} />;
}
