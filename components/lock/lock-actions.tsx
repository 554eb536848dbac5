"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useFreeBlock } from "@/components/shell/use-block.ts";
import { Button } from "@/components/ui/button.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { neverFreed } from "./lock-facts.ts";

const NoteSheet = dynamic(() => import("./note-sheet.tsx").then((module) => module.NoteSheet), {
  ssr: false,
});
const ExtendSheet = dynamic(() => import("./extend-sheet.tsx").then((module) => module.ExtendSheet), {
  ssr: false,
});

export interface ActionSheetProps {
  /** As it stood where the operator clicked. */
  lock: Lock;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}

/** What can be done about a lock besides freeing it. */
export function LockActions({ lock }: { lock: Lock }) {
  const live = useLive();
  const [open, setOpen] = useState<{ what: "note" | "extend"; lock: Lock; from: HTMLElement } | null>(null);
  const isForced = live.hello?.operator.may.includes("force") ?? false;
  const noteBlocked = isForced ? null : "Your role at this target may look, not write.";
  const extendBlocked = useFreeBlock() ?? extendBlock(lock);
  const sheet = {
    onClose: () => setOpen(null),
    finalFocus: () => open?.from ?? null,
  };
  return (
    <>
      <Button
        blocked={noteBlocked}
        onClick={({ currentTarget }) => setOpen({ what: "note", lock, from: currentTarget })}
      >
        Note…
      </Button>
      <Button
        blocked={extendBlocked}
        onClick={({ currentTarget }) => setOpen({ what: "extend", lock, from: currentTarget })}
      >
        More time…
      </Button>
      {open?.what === "note" && <NoteSheet lock={open.lock} {...sheet} />}
      {open?.what === "extend" && <ExtendSheet lock={open.lock} {...sheet} />}
    </>
  );
}

function extendBlock(lock: Lock): string | null {
  if (lock.holders.length === 0) return "Nobody holds this lock.";
  if (lock.remainingMs === null) return "It has no expiry: there is nothing to prolong.";
  return neverFreed(lock);
}
