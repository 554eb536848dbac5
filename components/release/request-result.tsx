"use client";

import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { formatClockMs, formatSpan } from "@/components/ui/format-duration.ts";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import { releaseRequest as english } from "@/lib/i18n/en/release-request.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { ReleaseRequestText } from "../lock-facts/release-request-text.tsx";
import { CurrentHolder } from "./current-holder.tsx";
import { addAnswer, findEndEvent } from "./hold-drift.ts";
import { FACTS_CLASS, HoldFact } from "./hold-facts.tsx";
import { OutcomeNote } from "./outcome-note.tsx";
import type { ReleaseForm } from "./use-release.ts";

/**
 * Shows that the hold ended after a release request, with the time, the holder's response, and the current holder of
 * the lock. Renders nothing if no release was requested.
 */
export function RequestResult({ form }: { form: ReleaseForm }) {
  const messages = useMessages(english);
  const { request, seen, holder = seen.holders[0] } = form.state;
  const released = findEndEvent(seen, holder, form.events);
  if (request === null) return null;
  return (
    <OutcomeNote
      tone="ok"
      title={released === undefined ? messages.ended : messages.released}
      trigger="change"
    >
      <dl className={FACTS_CLASS}>
        {holder !== undefined && (
          <HoldFact name={messages.holder}>
            <HolderName holder={holder} wrap />
          </HoldFact>
        )}
        {released !== undefined && (
          <HoldFact name={messages.time}>
            <ReleaseTime at={released.at} request={request} />
          </HoldFact>
        )}
        <HoldFact name={messages.name}>
          <ReleaseRequestText request={addAnswer(request, holder?.fence, form.events)} />
        </HoldFact>
        <HoldFact name={messages.currentHolder}>
          <CurrentHolder lock={form.current} />
        </HoldFact>
      </dl>
    </OutcomeNote>
  );
}

function ReleaseTime({ at, request: { requestedAt } }: { at: number; request: ReleaseRequest }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  return <>{messages.after(formatClockMs(at), formatSpan(Math.max(0, at - requestedAt), uiMessages))}</>;
}
