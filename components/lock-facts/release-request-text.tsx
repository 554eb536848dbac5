"use client";

import clsx from "clsx";
import { type LucideIcon, MessageCircleCheck, MessageCircleQuestionMark, MessageCircleX } from "lucide-react";
import { formatAgo, formatDate } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import { releaseRequest as english } from "@/lib/i18n/en/release-request.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

type State = ReleaseRequest["state"];

/**
 * The icons of release requests by state. The icons differ in shape, because color must not be the only distinction.
 */
export const REQUEST_ICONS: Readonly<Record<State, LucideIcon>> = {
  requested: MessageCircleQuestionMark,
  accepted: MessageCircleCheck,
  refused: MessageCircleX,
};

/** The color classes of the icons. Do not use these classes for text, because `text-ok` has too little contrast. */
export const REQUEST_INK: Readonly<Record<State, string>> = {
  requested: "text-ink-2",
  accepted: "text-ok",
  refused: "text-warn",
};

/**
 * Shows an icon for a hold whose release was requested. Place the icon before the holder's name. The tooltip contains
 * the holder's response, or the reason for the request while there is no response.
 */
export function ReleaseRequestMark({ request }: { request: ReleaseRequest | null | undefined }) {
  const messages = useMessages(english);
  if (request === null || request === undefined) return null;
  const { state, reason, answerText } = request;
  const Icon = REQUEST_ICONS[state];
  const text = messages.mark(messages.states[state], toVisibleText(answerText ?? reason));
  return (
    <span role="img" aria-label={text} title={text} className="mr-1 inline-block shrink-0 align-[-2px]">
      <Icon aria-hidden size={13} className={REQUEST_INK[state]} />
    </span>
  );
}

/** Shows the state of a request, the holder's response, and who made the request, when and why. */
export function ReleaseRequestText({ request }: { request: ReleaseRequest }) {
  const messages = useMessages(english);
  const { state, answerText } = request;
  return (
    <>
      <span className={clsx("font-medium", state === "refused" && "text-warn")}>
        {messages.states[state]}
      </span>
      {answerText !== null && answerText !== "" && (
        <> {messages.quoted(<SafeText text={answerText} wrap />)}</>
      )}
      <div className="text-ink-3">
        <RequestOrigin request={request} />
      </div>
    </>
  );
}

/** Shows who made the request, how long ago, and why. */
export function RequestOrigin({ request }: { request: ReleaseRequest }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const { requestedBy, requestedAt, reason } = request;
  const now = useServerNow() ?? requestedAt;
  return (
    <span title={formatDate(requestedAt)}>
      {messages.origin(
        <SafeText text={requestedBy} wrap />,
        formatAgo(now - requestedAt, uiMessages),
        reason === "" ? null : <SafeText text={reason} wrap />,
      )}
    </span>
  );
}

/**
 * Makes screen readers announce each change to a request. Omits the time of the request, because its text changes every
 * second. Render this component even if there is no request, because screen readers announce only changes to an
 * existing element.
 */
export function RequestAnnouncement({ request }: { request: ReleaseRequest | null }) {
  const messages = useMessages(english);
  return (
    <p role="status" className="sr-only">
      {request !== null &&
        messages.mark(messages.titles[request.state], toVisibleText(request.answerText ?? ""))}
    </p>
  );
}
