import clsx from "clsx";
import type { EventType } from "@/lib/contract/event.ts";
import { ALL_TYPES, EVENT_NAMES } from "./event-text.ts";

interface TypeFilterProps {
  /** None chosen: all are shown. */
  chosen: readonly EventType[];
  onChoose(types: EventType[]): void;
}

export function TypeFilter({ chosen, onChoose }: TypeFilterProps) {
  const toggle = (type: EventType) =>
    onChoose(chosen.includes(type) ? chosen.filter((one) => one !== type) : [...chosen, type]);
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">Types of event</legend>
      <Chip name="all" on={chosen.length === 0} onClick={() => onChoose([])} />
      {ALL_TYPES.map((type) => (
        <Chip key={type} name={EVENT_NAMES[type]} on={chosen.includes(type)} onClick={() => toggle(type)} />
      ))}
    </fieldset>
  );
}

function Chip({ name, on, onClick }: { name: string; on: boolean; onClick(): void }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={clsx(
        "h-7 rounded-[7px] border px-2.5",
        on ? "border-line bg-panel font-medium text-ink" : "border-transparent text-ink-2 hover:text-ink",
      )}
    >
      {name}
    </button>
  );
}
