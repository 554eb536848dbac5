interface Choice<Value> {
  value: Value;
  name: string;
  /** The explanation of the choice. May be empty. */
  text: string;
}

interface ChoiceGroupProps<Value> {
  legend: string;
  choices: readonly Choice<Value>[];
  chosen: readonly Value[];
  /** Called with the selection in the order of the choices. */
  onChoose(chosen: readonly Value[]): void;
}

export function ChoiceGroup<Value extends string>({
  legend,
  choices,
  chosen,
  onChoose,
}: ChoiceGroupProps<Value>) {
  const toggle = (value: Value, on: boolean) =>
    onChoose(
      choices.map((each) => each.value).filter((each) => (each === value ? on : chosen.includes(each))),
    );
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1.5 text-ink-2">{legend}</legend>
      {choices.map(({ value, name, text }) => (
        <label
          key={value}
          className="flex min-h-6 cursor-pointer items-baseline gap-2 max-sm:min-h-11 max-sm:items-center"
        >
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.target.checked)}
            className="size-[13px] translate-y-0.5 accent-accent"
          />
          <span className="min-w-12">{name}</span>
          {text !== "" && <span className="text-2xs text-ink-3">{text}</span>}
        </label>
      ))}
    </fieldset>
  );
}
