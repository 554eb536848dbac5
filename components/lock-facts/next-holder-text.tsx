"use client";

import type { ReactNode } from "react";
import { formatElapsed } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useWaiters } from "@/lib/queries/waiters.ts";
import { toLockPath } from "./lock-path.ts";
import { findNextHolder, type NextHolder } from "./next-holder.ts";
import { shortenOwner } from "./owner-text.ts";
import { listFormats } from "./use-format-texts.ts";

/** Describes which client would acquire the lock after a release, and how certain the prediction is. */
export function NextHolderText({ lock }: { lock: Lock }) {
  const messages = useMessages(lockWords);
  const { data } = useWaiters(toLockPath(lock), lock.waiters.count);
  const next = findNextHolder(lock.waiters, data);
  return (
    <>
      <NextHolderSentence next={next} lockMessages={messages} />
      <NextHolderNote next={next} lock={lock} lockMessages={messages} />
    </>
  );
}

interface SentenceProps {
  next: NextHolder;
  lockMessages: Messages["lock"];
}

function NextHolderSentence({ next, lockMessages }: SentenceProps): ReactNode {
  const messages = lockMessages.next;
  const now = useServerNow();
  switch (next.is) {
    case "first_in_queue":
    case "longest_waiting": {
      const { owner, since } = next.waiter;
      const waited = since === null || now === null ? null : formatElapsed(now - since, lockMessages);
      return messages.waiter(
        <span className="font-mono text-xs break-all" title={toVisibleText(owner)}>
          <SafeText text={shortenOwner(owner)} wrap />
        </span>,
        waited,
        next.others,
      );
    }
    case "undetermined":
      return messages.undetermined(next.count, next.known === "exact");
    case "no_waiter":
    case "no_subscriber":
    case "not_visible":
      return messages[next.is];
  }
}

function NextHolderNote({ next, lock, lockMessages }: SentenceProps & { lock: Lock }) {
  const messages = lockMessages.next;
  const { of } = useMessages(formatFacts);
  if (next.is === "no_waiter" || next.is === "no_subscriber") return null;
  const notes =
    next.is === "first_in_queue" || next.is === "longest_waiting"
      ? [messages.orders[next.is]]
      : listFormats(lock).map((format) => {
          if (format !== "redisson") return of[format].waiters;
          return lock.kind === "fair" ? messages.redissonFair : messages.redissonPlain;
        });
  if (lock.kind === "semaphore") notes.push(messages.enoughPermits);
  return (
    <span className="text-ink-3">
      {[...new Set(notes)].map((note) => (
        <span key={note} className="block">
          {note}
        </span>
      ))}
    </span>
  );
}
