"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { holdOffOf } from "@/components/lock-facts/lock-texts.ts";
import { Remaining } from "@/components/lock-facts/lock-times.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { Choice } from "./release-methods.ts";
import { HOLD_OFF_MS } from "./release-state.ts";
import type { Free } from "./use-release.ts";

interface OptionProps {
  value: Choice;
  choice: Choice | null;
  onChoose(choice: Choice): void;
  name: string;
  children: ReactNode;
}

function Option({ value, choice, onChoose, name, children }: OptionProps) {
  const on = value === choice;
  return (
    <label
      className={clsx(
        "grid cursor-pointer grid-cols-[18px_minmax(0,1fr)] gap-2 rounded-[9px] border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-accent",
        on ? "border-accent bg-accent-bg" : "border-line hover:bg-bg",
      )}
    >
      <input
        type="radio"
        name="how"
        value={value}
        checked={on}
        onChange={() => onChoose(value)}
        className="mt-0.5 size-[13px] accent-accent outline-none"
      />
      <span>
        {name}
        <small className="block text-2xs text-ink-2">{children}</small>
      </span>
    </label>
  );
}

function isHoldOff({ holders: [holder] }: Lock): boolean {
  return holder !== undefined && holdOffOf(holder.owner) !== null;
}

/** What fits, in rising force; and what does not, with the reason. */
export function FreeOptions({ free }: { free: Free }) {
  const words = useWords(english);
  const { shown, ways, choice, choose } = free;
  const left = <Remaining lock={shown} />;
  const names: Record<Choice, string> = {
    lapse: words.lapse,
    release: words.release,
    "hold-off": words.holdOff(HOLD_OFF_MS / 1000),
  };
  const hints: Record<Choice, ReactNode> = {
    lapse: isHoldOff(shown) ? words.holdOffLapseHint(left) : words.lapseHint(left),
    release: words.releaseHint,
    "hold-off": words.holdOffHint,
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1.5 font-semibold">{words.how}</legend>
      {ways.fits.map((each) => (
        <Option key={each} value={each} choice={choice} onChoose={choose} name={names[each]}>
          {hints[each]}
        </Option>
      ))}
      <ul aria-label={words.notOffered} className="flex flex-col gap-0.5 px-1 text-2xs text-ink-3">
        {ways.not.map(({ choice: each, why }) => (
          <li key={each}>{words.not(names[each], words.why[why])}</li>
        ))}
        {!isHoldOff(shown) && <li>{words.not(words.ask, words.why.noWay)}</li>}
      </ul>
    </fieldset>
  );
}
