"use client";

import clsx from "clsx";
import { memo, type ReactNode } from "react";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { LivenessWord } from "@/components/lock-facts/liveness-text.tsx";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { countHolds } from "@/components/lock-facts/lock-texts.ts";
import { HeldFor, RemainingTime } from "@/components/lock-facts/lock-times.tsx";
import { findLatestRequest } from "@/components/lock-facts/release-request.ts";
import { WaiterCount } from "@/components/lock-facts/waiters-text.tsx";
import { describeKind, summarizeHolders } from "@/components/lock-kinds/kind-summary.ts";
import { formatNumber } from "@/components/ui/format-duration.ts";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { releaseRequest } from "@/lib/i18n/en/release-request.tsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { EndedRowText } from "./ended-row.tsx";
import { KeyLink } from "./lock-cell.tsx";
import {
  CopyRowButton,
  type LockRowProps,
  ReleaseButton,
  type ReleaseButtonProps,
  SelectBox,
  useIsReleaseUrgent,
} from "./lock-row.tsx";

export const CARD_PX = 92;

/**
 * Shows a lock as a card on phones: the key, the holder with chips for count and waiters, the liveness and the times.
 * The touch areas of the buttons are at least 44 px high.
 */
export const LockCard = memo(function LockCard({
  lock,
  end,
  index,
  isFocused,
  isSelected,
  tabStop,
  actions,
}: LockRowProps) {
  const path = toLockPath(lock);
  const inner = tabStop ? 0 : -1;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={isFocused}
      data-path={path}
      tabIndex={inner}
      onClick={() => actions.focusRow(path)}
      className={clsx("outline-offset-[-2px]", isFocused || isSelected ? "bg-selected" : "bg-panel")}
    >
      <td className="h-(--row-px) overflow-hidden border-b border-line-soft p-0">
        <div className="flex items-center">
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the checkbox handles the keys */}
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside the label */}
          <label
            className="grid size-11 shrink-0 place-items-center"
            onClick={(event) => event.stopPropagation()}
          >
            <SelectBox
              lock={lock}
              isSelected={isSelected}
              tabIndex={inner}
              onToggle={actions.toggleSelected}
            />
          </label>
          <div
            className={clsx(
              "relative flex h-(--row-px) min-w-0 flex-1 flex-col justify-center",
              end !== null && "line-through decoration-ink-3",
            )}
          >
            <KeyLink lock={lock} tabIndex={inner} className="after:absolute after:inset-0" />
            <HolderLine lock={lock} />
            <TimeLine lock={lock} end={end} />
          </div>
          <div className="mr-1 ml-1 flex shrink-0 flex-col items-end">
            <CopyRowButton
              lock={lock}
              tabIndex={inner}
              onCopy={actions.copy}
              className="size-11! max-sm:after:hidden"
            />
            {end === null && <CardReleaseButton lock={lock} tabIndex={inner} actions={actions} />}
          </div>
        </div>
      </td>
    </tr>
  );
});

/**
 * Shows the release button only if a release is urgent. For other locks, operators tap the card to open the lock's page
 * and release the lock there.
 */
function CardReleaseButton(props: ReleaseButtonProps) {
  if (!useIsReleaseUrgent(props.lock)) return null;
  return (
    <ReleaseButton
      {...props}
      emphasis="urgent"
      className="relative my-2 h-8! px-2.5! after:absolute after:-inset-x-1! after:-inset-y-[7px]!"
    />
  );
}

function HolderLine({ lock }: { lock: Lock }) {
  const messages = useMessages(table);
  const kinds = useMessages(lockKinds);
  const [holder, second] = lock.holders;
  const summary = summarizeHolders(lock, kinds) ?? describeKind(lock, kinds);
  const count = summary === null ? countHolds(lock) : 1;
  return (
    <div className="flex h-[19px] items-center gap-1.5 text-ink-2">
      <span className="min-w-0 truncate">
        {holder === undefined ? messages.notHeld : lock.kind !== "latch" && <HolderName holder={holder} />}
        {second !== undefined && messages.andMore(lock.holders.length - 1)}
      </span>
      <RequestChip request={findLatestRequest(lock.holders)} />
      {holder !== undefined && summary !== null && <CardChip>{summary}</CardChip>}
      {count > 1 && <CardChip>{`×${formatNumber(count)}`}</CardChip>}
      {lock.waiters.count !== null && lock.waiters.count > 0 && (
        <CardChip>{messages.waiting(<WaiterCount waiters={lock.waiters} />)}</CardChip>
      )}
    </div>
  );
}

/** Shows the state of a release request as text, because touch screens show no tooltips. */
function RequestChip({ request }: { request: ReleaseRequest | null }) {
  const messages = useMessages(releaseRequest);
  return request !== null && <CardChip>{messages.states[request.state]}</CardChip>;
}

function CardChip({ children }: { children: ReactNode }) {
  return (
    <span className="shrink-0 rounded-[5px] bg-line-soft px-1.5 text-2xs leading-[17px] font-semibold text-ink">
      {children}
    </span>
  );
}

function TimeLine({ lock, end }: { lock: Lock; end: LockRowProps["end"] }) {
  const messages = useMessages(table);
  if (end !== null) {
    return (
      <div className="inline-block">
        <EndedRowText end={end} />
      </div>
    );
  }
  const hasTtl = lock.remainingMs !== null;
  return (
    <div className="flex gap-2 overflow-hidden text-xs whitespace-nowrap text-ink-2">
      <LivenessWord lock={lock} />
      {hasTtl && <span>{messages.expiresIn(<RemainingTime lock={lock} />)}</span>}
      <span className="truncate">{messages.heldFor(<HeldFor holder={lock.holders[0]} />)}</span>
    </div>
  );
}
