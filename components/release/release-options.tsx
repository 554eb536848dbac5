"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { RemainingTime } from "@/components/lock-facts/lock-times.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { ReleaseMethod } from "./release-methods.ts";
import { RESERVE_MS } from "./release-state.ts";
import type { ReleaseForm } from "./use-release.ts";

interface ReleaseOptionProps {
  value: ReleaseMethod;
  choice: ReleaseMethod | null;
  onChoose(choice: ReleaseMethod): void;
  name: string;
  children: ReactNode;
}

function ReleaseOption({ value, choice, onChoose, name, children }: ReleaseOptionProps) {
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

function isReservation({ holders: [holder] }: Lock): boolean {
  return holder !== undefined && parseReservedHold(holder.owner) !== null;
}

/** What fits, in rising force; and what does not, with the reason. */
export function ReleaseOptions({ free }: { free: ReleaseForm }) {
  const messages = useMessages(english);
  const { shown, methods, choice, choose } = free;
  const left = <RemainingTime lock={shown} />;
  const names: Record<ReleaseMethod, string> = {
    lapse: messages.lapse,
    release: messages.release,
    reserve: messages.reservation(RESERVE_MS / 1000),
  };
  const hints: Record<ReleaseMethod, ReactNode> = {
    lapse: isReservation(shown) ? messages.reservationLapseHint(left) : messages.lapseHint(left),
    release: messages.releaseHint,
    reserve: messages.reservationHint,
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1.5 font-semibold">{messages.how}</legend>
      {methods.available.map((each) => (
        <ReleaseOption key={each} value={each} choice={choice} onChoose={choose} name={names[each]}>
          {hints[each]}
        </ReleaseOption>
      ))}
      <ul aria-label={messages.notOffered} className="flex flex-col gap-0.5 px-1 text-2xs text-ink-3">
        {methods.unavailable.map(({ choice: each, why }) => (
          <li key={each}>{messages.not(names[each], messages.why[why])}</li>
        ))}
        {!isReservation(shown) && <li>{messages.not(messages.ask, messages.why.noWay)}</li>}
      </ul>
    </fieldset>
  );
}
