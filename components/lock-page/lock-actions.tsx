"use client";

import { useRef, useState } from "react";
import { useCommands } from "@/components/app/command-registry.tsx";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { Button } from "@/components/ui/button.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { getReleaseObstacle } from "../lock-facts/release-text.ts";

const NoteSheet = createLazyOverlay(() => import("./note-sheet.tsx").then((module) => module.NoteSheet));
const ExtendSheet = createLazyOverlay(() =>
  import("./extend-sheet.tsx").then((module) => module.ExtendSheet),
);

/** Shows the buttons that edit the note of a lock and extend its lease. */
export function LockActions({ lock }: { lock: Lock }) {
  const messages = useMessages(lockParts);
  const known = useMessages(lockWords);
  const notHeld = useMessages(lockPage).nothingToRelease;
  const live = useLiveState();
  const [open, setOpen] = useState<{ what: "note" | "extend"; lock: Lock } | null>(null);
  const buttons = { note: useRef<HTMLButtonElement>(null), extend: useRef<HTMLButtonElement>(null) };
  const isForced = live.hello?.operator.may.includes("force") ?? false;
  const noteBlocked = isForced ? null : messages.mayNotWrite;
  const extendBlocked =
    useReleaseBlockedReason() ?? getExtendBlockedReason(lock, { notHeld, noTtl: messages.noLease, known });
  const actions = [
    { what: "note", name: messages.note, blocked: noteBlocked },
    { what: "extend", name: messages.extendLease, blocked: extendBlocked },
  ] as const;
  useCommands(
    actions.map(({ what, ...action }) => ({
      ...action,
      id: `lock:${what}`,
      run: () => setOpen({ what, lock }),
    })),
  );
  const sheet = {
    onClose: () => setOpen(null),
    finalFocus: () => (open === null ? null : buttons[open.what].current),
  };
  return (
    <>
      {actions.map(({ what, name, blocked }) => (
        <Button key={what} ref={buttons[what]} blocked={blocked} onClick={() => setOpen({ what, lock })}>
          {name}
        </Button>
      ))}
      {open?.what === "note" && <NoteSheet lock={open.lock} {...sheet} />}
      {open?.what === "extend" && <ExtendSheet lock={open.lock} {...sheet} />}
    </>
  );
}

interface BlockedMessages {
  notHeld: string;
  noTtl: string;
  known: Messages["lock"];
}

function getExtendBlockedReason(lock: Lock, messages: BlockedMessages): string | null {
  if (lock.holders.length === 0) return messages.notHeld;
  if (lock.remainingMs === null) return messages.noTtl;
  return getReleaseObstacle(lock, messages.known);
}
