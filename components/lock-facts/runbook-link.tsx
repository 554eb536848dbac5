import { ExternalLink } from "lucide-react";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/** What somebody wrote for such a night. It opens apart: what is looked at here stays. */
export function RunbookLink({ url }: { url: string | undefined }) {
  const messages = useMessages(english);
  // The server gives no other; a script in the place of an address would run as whoever clicks it.
  if (url === undefined || !/^https?:\/\//i.test(url)) return null;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      title={url}
      className="inline-flex min-h-6 items-center gap-1.5 self-start font-medium text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {messages.runbook}
      <span className="font-normal text-ink-3">{parseHost(url)}</span>
      <ExternalLink aria-hidden size={13} />
      <span className="sr-only">{messages.newTab}</span>
    </a>
  );
}

function parseHost(url: string): string {
  return URL.parse(url)?.host ?? "";
}
