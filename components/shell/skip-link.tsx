import type { MouseEvent } from "react";
import { MAIN_PART_ATTRIBUTE } from "@/components/ui/main-part.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Renders a link that skips filters and toolbars and focuses the main table or list of the page. If the page has
 * neither, the link leads to the content. The link is the first tab stop.
 */
export function SkipLink() {
  const messages = useMessages(shell);
  return (
    // biome-ignore lint/a11y/useValidAnchor: links to the content if the page has no table or list
    <a
      href="#content"
      onClick={focusMainPart}
      className="absolute top-2 left-2 z-50 -translate-y-16 rounded-[7px] bg-accent px-3 py-1.5 text-accent-ink focus:translate-y-0"
    >
      {messages.skipToContent}
    </a>
  );
}

function focusMainPart(event: MouseEvent): void {
  const part = document.querySelector<HTMLElement>(`#content [${MAIN_PART_ATTRIBUTE}]`);
  if (part === null) return;
  event.preventDefault();
  part.focus();
}
