"use client";

import clsx from "clsx";
import { Component, type ReactNode } from "react";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { LoadFailure } from "./load-failure.tsx";

interface ErrorBoundaryProps {
  /** The name of the protected part of the page, in the page's language. */
  name: string;
  /** Where the error is shown. `page`: in place of the children. `overlay`: fixed to a corner of the window. */
  place?: "page" | "overlay";
  children: ReactNode;
}

interface ErrorBoundaryState {
  error: Error | null;
}

/**
 * Catches rendering errors of its children and shows a notice instead of the children. The rest of the page remains
 * usable. If the code of the children could not be loaded, for example because another version of the console was
 * deployed, the notice offers to reload the page.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    const { name, place = "page", children } = this.props;
    if (error === null) return children;
    // React caches a failed import, so rendering again would fail again.
    if (isChunkLoadError(error)) {
      return <LoadFailure name={name} place={place === "page" ? "inline" : "overlay"} />;
    }
    return <ErrorNotice name={name} place={place} onAgain={() => this.setState({ error: null })} />;
  }
}

function isChunkLoadError({ name, message }: Error): boolean {
  return name === "ChunkLoadError" || /load(ing)? (chunk|.*module)|import(ed|ing)/i.test(message);
}

interface ErrorNoticeProps {
  name: string;
  place: "page" | "overlay";
  onAgain(): void;
}

function ErrorNotice({ name, place, onAgain }: ErrorNoticeProps) {
  const messages = useMessages(shell);
  return (
    <div
      role="alert"
      className={clsx(
        "flex flex-wrap items-center gap-x-3 gap-y-2 rounded-[10px] border border-line bg-panel px-4 py-3",
        place === "overlay" &&
          "fixed right-4 bottom-4 z-40 max-w-[calc(100vw-2rem)] shadow-sheet sm:max-w-md",
      )}
    >
      <p className="min-w-0 flex-1 basis-56">
        <span className="font-medium">{messages.broken.title(name)}</span>{" "}
        <span className="text-ink-2">{messages.broken.restWorks}</span>
      </p>
      <Button onClick={onAgain}>{messages.broken.again}</Button>
    </div>
  );
}
