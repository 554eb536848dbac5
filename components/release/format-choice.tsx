"use client";

import { useEffect, useRef } from "react";
import { formatReleaseAdvice } from "@/components/lock-facts/release-text.ts";
import { getFormatLabel } from "@/components/lock-facts/use-format-texts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { ReleaseForm } from "./use-release.ts";

/**
 * Lets the operator select the lock format. Renders nothing if no selection is required or the operator chose to wait
 * for expiry.
 */
export function LockFormatPicker({ form }: { form: ReleaseForm }) {
  const messages = useMessages(english);
  const lockText = useMessages(lockWords);
  const { seen, format, step } = form.state;
  const { release } = seen;
  const place = useRef<HTMLFieldSetElement>(null);
  const isMissing = step.at === "choosing" && step.error === "format_missing";
  useEffect(() => {
    if (isMissing) place.current?.querySelector<HTMLElement>("input")?.focus();
  }, [isMissing]);
  if (release?.may !== "with_format" || form.choice === "wait") return null;
  return (
    <fieldset ref={place} className="flex flex-col gap-1.5 rounded-[9px] bg-warn-bg px-3 py-2.5">
      <legend className="sr-only">{messages.selectFormat}</legend>
      <p className="text-warn">{formatReleaseAdvice(seen, lockText)}</p>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {release.formats.map((name) => (
          <label key={name} className="flex cursor-pointer items-center gap-1.5">
            <input
              type="radio"
              name="format"
              checked={format === name}
              onChange={() => form.setFormat(name)}
              className="size-[13px] accent-accent"
            />
            {getFormatLabel(name, lockText)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
