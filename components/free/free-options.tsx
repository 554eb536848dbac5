"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { holdOffOf } from "@/components/lock/lock-facts.ts";
import { Remaining } from "@/components/lock/lock-times.tsx";
import { REASON_CHARACTERS_MAX } from "@/components/locks/list-limits.ts";
import { Button } from "@/components/ui/button.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { type Choice, HOLD_OFF_MS } from "./free-state.ts";

interface OptionProps {
  value: Choice;
  choice: Choice;
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

function lapseText(lock: Lock): string {
  if (isHoldOff(lock)) return ", by itself";
  return lock.verdict?.state === "renewing" ? ", but its owner renews it" : ", unless its owner renews it";
}

interface FreeOptionsProps {
  lock: Lock;
  /** One of several holders: the others keep the lock, so nobody can be kept off it. */
  only: Holder | undefined;
  choice: Choice;
  onChoose(choice: Choice): void;
}

/** In rising force. */
export function FreeOptions({ lock, only, choice, onChoose }: FreeOptionsProps) {
  return (
    <fieldset className="flex flex-col gap-2.5">
      <legend className="sr-only">How</legend>
      {lock.remainingMs !== null && (
        <Option value="lapse" choice={choice} onChoose={onChoose} name="Let it lapse">
          in <Remaining lock={lock} />
          {lapseText(lock)}
        </Option>
      )}
      <Option value="release" choice={choice} onChoose={onChoose} name="Release now">
        only if it is still this hold; nothing happens to any other
      </Option>
      {lock.release?.holdOff !== false && only === undefined && (
        <Option
          value="hold-off"
          choice={choice}
          onChoose={onChoose}
          name={`Release and hold off ${HOLD_OFF_MS / 1000} s`}
        >
          keeps off every client of every library: the lock stays taken in your name, and can be freed before
        </Option>
      )}
    </fieldset>
  );
}

const PRESETS = ["Its owner is gone", "Its owner hangs", "Deployment", "Test"];

interface ReasonProps {
  reason: string;
  onReason(reason: string): void;
  error: string | undefined;
}

export function ReasonField({ reason, onReason, error }: ReasonProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor="reason" className="text-ink-2">
        Reason
      </label>
      <textarea
        id="reason"
        rows={2}
        value={reason}
        maxLength={REASON_CHARACTERS_MAX}
        onChange={(event) => onReason(event.target.value)}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : "reason-error"}
        placeholder="For whoever looks at this later"
        className="resize-none rounded-[7px] border border-line bg-bg px-2.5 py-1.5 placeholder:text-ink-3 aria-invalid:border-bad"
      />
      <div className="flex flex-wrap gap-1.5">
        {PRESETS.map((preset) => (
          <Button key={preset} size="small" className="text-2xs text-ink-2" onClick={() => onReason(preset)}>
            {preset}
          </Button>
        ))}
      </div>
      {error !== undefined && (
        <p id="reason-error" role="alert" className="text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
