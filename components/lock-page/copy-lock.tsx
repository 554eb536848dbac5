"use client";

import { Copy } from "lucide-react";
import { useRef, useState } from "react";
import { useCommands } from "@/components/app/command-registry.tsx";
import { Button } from "@/components/ui/button.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { useToast } from "@/components/ui/overlay/toast.tsx";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockCopy } from "@/lib/i18n/en/lock-copy.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { Key } from "@/lib/keys/key.ts";

const CopyMenu = createLazyOverlay(() =>
  import("../lock-facts/copy-menu.tsx").then((module) => module.CopyMenu),
);

export function CopyLockButton({ lockKey, lock }: { lockKey: Key; lock: Lock | undefined }) {
  const messages = useMessages(lockCopy);
  const button = useRef<HTMLSpanElement>(null);
  const anchor = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { note, showToast } = useToast();
  const open = () => {
    anchor.current = button.current?.querySelector("button") ?? null;
    setOpen(true);
  };
  useShortcuts({ c: open });
  useCommands([{ id: "lock:copy", name: messages.title, keys: "c", run: open }]);
  return (
    <span ref={button}>
      <Button onClick={open} title={messages.titleHint} aria-haspopup="menu" aria-expanded={isOpen}>
        <Copy aria-hidden size={13} />
        {messages.title}
      </Button>
      {isOpen && (
        <CopyMenu
          lockKey={lockKey}
          lock={lock}
          anchor={anchor}
          showToast={showToast}
          onClose={() => setOpen(false)}
        />
      )}
      {note}
    </span>
  );
}
