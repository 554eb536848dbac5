"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { Button } from "./button.tsx";
import { copyText } from "./clipboard.ts";

interface CopyButtonProps {
  text: string;
  /** The accessible name, which states what is copied. */
  label: string;
  /** Shown next to the icon. */
  children?: string;
  /** Whether the button is sized for a line of text. */
  small?: boolean;
}

export function CopyButton({ text, label, children, small = false }: CopyButtonProps) {
  const messages = useMessages(ui);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    // If copying fails, the button shows no confirmation. The user can still select the text on the page.
    void copyText(text).then(setCopied);
  };
  const Icon = copied ? Check : Copy;
  return (
    <Button
      variant={children === undefined ? "quiet" : "plain"}
      aria-label={label}
      title={label}
      onClick={copy}
      size={children !== undefined ? "normal" : small ? "small-icon" : "icon"}
      className={small ? "-my-1" : ""}
    >
      <Icon aria-hidden size={13} />
      {children !== undefined && (copied ? messages.copied : children)}
      <span role="status" className="sr-only">
        {copied ? messages.copied : ""}
      </span>
    </Button>
  );
}
