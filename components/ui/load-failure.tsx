"use client";

import clsx from "clsx";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { isServerReachable } from "@/lib/api/is-server-reachable.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { Button } from "./button.tsx";

interface LoadFailureProps {
  /** The name of the part that failed to load, in the page's language. Defaults to the translation of "dialog". */
  name?: string;
  /**
   * Where the notice is shown. `overlay`: fixed to a corner of the window. `inline`: in place of the missing content.
   */
  place: "overlay" | "inline";
  /** Loads the code again. If omitted, the notice offers only to reload the page. */
  onRetry?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
}

/**
 * Shows that code of the console could not be loaded, and why: the server is unreachable, or the console was probably
 * updated. Offers to retry or to reload the page.
 */
export function LoadFailure({ name, place, onRetry, onClose }: LoadFailureProps) {
  const messages = useMessages(shell).loadFailure;
  const [cause, setCause] = useState<"unknown" | "unreachable" | "updated">("unknown");
  const retry = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    let isMounted = true;
    void isServerReachable().then((isReachable) => {
      if (isMounted) setCause(isReachable ? "updated" : "unreachable");
    });
    return () => {
      isMounted = false;
    };
  }, []);
  // The notice takes the focus, because it appears after a key press or a click.
  useEffect(() => {
    if (place === "overlay") retry.current?.focus();
  }, [place]);
  const isReload = onRetry === undefined || cause === "updated";
  const advice = isReload ? messages.reloadAdvice : messages.retryAdvice;
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || onClose === undefined) return;
    event.stopPropagation();
    onClose();
  };
  return (
    <div
      role="alert"
      onKeyDown={closeOnEscape}
      className={clsx(
        "flex flex-wrap items-center gap-2 rounded-[10px] border border-line bg-panel px-4 py-3",
        place === "overlay" &&
          "fixed right-4 bottom-4 z-40 max-w-[calc(100vw-2rem)] shadow-sheet sm:max-w-md",
      )}
    >
      <p className="min-w-0 flex-1 basis-56">
        <span className="font-medium">{messages.title(name ?? messages.dialog)}</span>{" "}
        <span className="text-ink-2">{advice[cause]}</span>
      </p>
      <Button ref={retry} onClick={isReload ? () => location.reload() : onRetry}>
        {isReload ? messages.reload : messages.retry}
      </Button>
      {onClose !== undefined && <Button onClick={onClose}>{messages.close}</Button>}
    </div>
  );
}
