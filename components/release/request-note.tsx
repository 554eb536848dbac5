"use client";

import clsx from "clsx";
import { useEffect, useRef } from "react";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import { releaseRequest as english } from "@/lib/i18n/en/release-request.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import {
  REQUEST_ICONS,
  REQUEST_INK,
  RequestAnnouncement,
  RequestOrigin,
} from "../lock-facts/release-request-text.tsx";
import { focusInDialog } from "./focus-in-dialog.ts";
import type { ReleaseForm } from "./use-release.ts";

const BOXES: Readonly<Record<ReleaseRequest["state"], string>> = {
  requested: "bg-line-soft",
  accepted: "bg-line-soft",
  refused: "bg-warn-bg",
};

/** Shows the release request for the hold and the holder's response. Announces each change to screen readers. */
export function RequestNote({ form: { state } }: { form: ReleaseForm }) {
  const { request, sentRequestId } = state;
  return (
    <>
      {request !== null && (
        <RequestState request={request} isSent={request.requestId === sentRequestId} key={sentRequestId} />
      )}
      <RequestAnnouncement request={request} />
    </>
  );
}

function RequestState({ request, isSent }: { request: ReleaseRequest; isSent: boolean }) {
  const messages = useMessages(english);
  const place = useRef<HTMLDivElement>(null);
  const { state, answerText } = request;
  const Icon = REQUEST_ICONS[state];
  useEffect(() => (isSent ? focusInDialog(place) : undefined), [isSent]);
  return (
    <div
      ref={place}
      tabIndex={-1}
      data-testid="request"
      className={clsx("flex flex-col gap-1 rounded-[9px] px-3 py-2.5 outline-offset-2", BOXES[state])}
    >
      <p className={clsx("flex items-center gap-1.5 font-semibold", state === "refused" && "text-warn")}>
        <Icon aria-hidden size={15} className={clsx("shrink-0", REQUEST_INK[state])} />
        {messages.titles[state]}
      </p>
      {answerText !== null && answerText !== "" && (
        <p>{messages.quoted(<SafeText text={answerText} wrap />)}</p>
      )}
      <p className="text-ink-2">{messages.texts[state]}</p>
      <p className="text-2xs text-ink-2">
        <RequestOrigin request={request} />
      </p>
    </div>
  );
}
