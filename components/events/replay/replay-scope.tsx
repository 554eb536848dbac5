import { SafeText } from "@/components/ui/safe-text.tsx";
import { events } from "@/lib/i18n/en/events.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { EventSearch } from "../feed/use-event-reader.ts";

/** Shows which events the replay includes: all events, or the events that match the page's search. */
export function ReplayScope({ search: { filter, types } }: { search: EventSearch }) {
  const { replay } = useMessages(eventsPage);
  const { names } = useMessages(events);
  if (filter === "" && types.length === 0) return <p className="text-ink-3">{replay.scopeAll}</p>;
  return (
    <p data-testid="replay-scope" className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <span className="text-ink-2">{replay.scope}</span>
      {filter !== "" && (
        <span className="rounded-[5px] bg-accent-bg px-1.5 font-mono text-xs leading-5 text-accent">
          <SafeText text={filter} wrap />
        </span>
      )}
      {types.map((type) => (
        <span key={type} className="rounded-[5px] bg-accent-bg px-1.5 text-xs leading-5 text-accent">
          {names[type]}
        </span>
      ))}
    </p>
  );
}
