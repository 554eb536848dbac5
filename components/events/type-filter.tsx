import clsx from "clsx";
import type { EventType } from "@/lib/contract/event.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { ALL_EVENT_TYPES } from "./text/event-text.ts";

interface EventTypeFilterProps {
  /** The selected types; empty if all types are shown. */
  chosen: readonly EventType[];
  onChoose(types: EventType[]): void;
}

export function EventTypeFilter({ chosen, onChoose }: EventTypeFilterProps) {
  const { names } = useMessages(events);
  const messages = useMessages(eventsPage);
  const toggle = (type: EventType) =>
    onChoose(chosen.includes(type) ? chosen.filter((one) => one !== type) : [...chosen, type]);
  return (
    <fieldset className="flex shrink-0 gap-1 overflow-x-auto max-sm:-mx-3 max-sm:px-3 sm:flex-wrap">
      <legend className="sr-only">{messages.types}</legend>
      <TypeChip name={messages.allTypes} on={chosen.length === 0} onClick={() => onChoose([])} />
      {ALL_EVENT_TYPES.map((type) => (
        <TypeChip key={type} name={names[type]} on={chosen.includes(type)} onClick={() => toggle(type)} />
      ))}
    </fieldset>
  );
}

function TypeChip({ name, on, onClick }: { name: string; on: boolean; onClick(): void }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={clsx(
        "h-7 shrink-0 rounded-[7px] max-sm:h-11 border px-2.5 whitespace-nowrap",
        on ? "border-line bg-panel font-medium text-ink" : "border-transparent text-ink-2 hover:text-ink",
      )}
    >
      {name}
    </button>
  );
}
