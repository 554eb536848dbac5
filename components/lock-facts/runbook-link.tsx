import { ExternalLink } from "lucide-react";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/** Shows a link to the runbook for the key pattern. The link opens in a new tab. */
export function RunbookLink({ url }: { url: string | undefined }) {
  const messages = useMessages(english);
  // Defense in depth: the server accepts only these schemes too. A `javascript:` URL would run with the permissions of
  // the operator.
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
