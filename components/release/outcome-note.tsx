"use client";

import { CircleCheck } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { focusInDialog } from "./focus-in-dialog.ts";

const TONES = {
  warn: { box: "bg-warn-bg", ink: "text-warn" },
  bad: { box: "bg-bad-bg", ink: "text-bad" },
  ok: { box: "bg-line-soft", ink: "text-ink" },
};

interface OutcomeNoteProps {
  tone: keyof typeof TONES;
  title: ReactNode;
  /**
   * Why the note appears. `request`: the operator did something, so the note takes the focus. `change`: the hold
   * changed, so the note takes the focus only if the focused element was removed.
   */
  trigger: "request" | "change";
  children?: ReactNode;
}

/** Shows the result of a release or a change to the hold. */
export function OutcomeNote({ tone, title, trigger, children }: OutcomeNoteProps) {
  const place = useRef<HTMLDivElement>(null);
  const { box, ink } = TONES[tone];
  useEffect(() => {
    // The focused element may have been removed with the form. The dialog then takes the focus, either before or after
    // this effect.
    const isLost = document.activeElement?.contains(place.current) ?? true;
    return trigger === "request" || isLost ? focusInDialog(place) : undefined;
  }, [trigger]);
  return (
    <div
      ref={place}
      tabIndex={-1}
      role={tone === "ok" ? "status" : "alert"}
      data-testid="outcome"
      className={`flex flex-col items-start gap-2 rounded-[9px] px-3 py-2.5 outline-offset-2 ${box}`}
    >
      <p className={`flex items-center gap-1.5 font-semibold ${ink}`}>
        {tone === "ok" && <CircleCheck aria-hidden size={15} className="shrink-0 text-ok" />}
        {title}
      </p>
      {children}
    </div>
  );
}
