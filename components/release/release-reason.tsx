"use client";

import { useEffect } from "react";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { ConfirmNameField, ReasonField } from "@/components/ui/reason-field.tsx";
import { RELEASE_REQUEST_TEXT_MAX } from "@/lib/contract/limits.ts";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { releaseRequest } from "@/lib/i18n/en/release-request.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { ReleaseForm } from "./use-release.ts";

export function ReleaseReason({ form }: { form: ReleaseForm }) {
  const messages = useMessages(english);
  const request = useMessages(releaseRequest);
  const { shown, state, choice, needsReason, confirm } = form;
  const isRequest = choice === "ask";
  const { step, reason, confirmation } = state;
  const error = step.at === "choosing" ? step.error : undefined;
  // For a force-release, a reason is required only if the liveness is `alive` or `unknown`.
  const liveness = shown.liveness?.state === "alive" ? "alive" : "unknown";
  const texts = {
    reason_missing: isRequest ? request.reasonRequired : messages.reasonRequired[liveness],
    reason_too_long: request.reasonTooLong(RELEASE_REQUEST_TEXT_MAX),
    format_missing: messages.formatRequired,
    // `ConfirmNameField` shows this error.
    target_unconfirmed: undefined,
  };
  useEffect(() => {
    // Scrolls the field into view, which can be necessary on phones.
    if (error === "reason_missing" || error === "reason_too_long") document.getElementById("reason")?.focus();
  }, [error]);
  return (
    <>
      <ReasonField
        reason={reason}
        onReason={form.setReason}
        isOptional={!needsReason}
        {...(isRequest
          ? {
              placeholder: request.reasonPlaceholder,
              presets: request.reasons,
              charactersMax: RELEASE_REQUEST_TEXT_MAX,
            }
          : { presets: messages.reasons[shown.kind === "latch" ? "latch" : "hold"] })}
        error={typeof error === "string" ? texts[error] : error && <ProblemText problem={error} />}
      />
      {confirm !== undefined && (
        <ConfirmNameField
          label={messages.production[liveness](confirm)}
          typed={confirmation}
          onType={form.setConfirmation}
          isMissing={error === "target_unconfirmed"}
        />
      )}
    </>
  );
}
