"use client";

import { endingText } from "@/components/events/event-text.ts";
import { Fact } from "@/components/free/free-facts.tsx";
import { TargetLink } from "@/components/shell/target-link.tsx";
import { formatAgo } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { LockEvent } from "@/lib/contract/event.ts";
import { FORMAT_FACTS } from "@/lib/contract/format-facts.ts";
import type { KeyFields } from "@/lib/contract/key.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { formatsOf, formatsText } from "./format-facts.ts";
import { HolderFacts } from "./holder-facts.tsx";
import { KeyText } from "./key-text.tsx";
import { holdOffOf, holdOffText, hrefOf, pathOf } from "./lock-facts.ts";
import { HeldFor, LeaseBar, Remaining } from "./lock-times.tsx";
import { UsuallyHeld } from "./usually-held.tsx";
import { VerdictEvidence } from "./verdict-text.tsx";
import { VotesText } from "./votes-text.tsx";
import { waitersText } from "./waiters-text.tsx";

interface LockNowProps {
  lock: Lock;
  ending: LockEvent | undefined;
  /** Frees one of several holders. */
  onFree(holder: Holder): void;
  blocked: string | null;
}

/** The lock as it stands in Redis now. */
export function LockNow({ lock, ending, onFree, blocked }: LockNowProps) {
  if (lock.holders.length === 0) return <Free ending={ending} lock={lock} />;
  return (
    <section aria-label="Now" className="rounded-[10px] border border-line bg-panel">
      <div className="grid border-b border-line-soft grid-cols-3">
        <Figure name="Expires in">
          <Remaining lock={lock} />
          <LeaseBar lock={lock} className="mt-2 w-full max-w-48" />
        </Figure>
        <Figure name="Held for">
          <HeldFor holder={lock.holders[0]} />
          <UsuallyHeld path={pathOf(lock)} />
        </Figure>
        <Figure name="Count">{lock.holders.reduce((sum, { count }) => sum + count, 0)}</Figure>
      </div>
      {lock.holders.map((holder) => (
        <HolderFacts
          key={holder.owner + (holder.role ?? "")}
          lock={lock}
          holder={holder}
          onFree={lock.release?.oneHolder ? onFree : undefined}
          blocked={blocked}
        />
      ))}
      <LockFacts lock={lock} />
    </section>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="border-line-soft px-4 py-3 not-last:border-r">
      <div className="text-2xs text-ink-3">{name}</div>
      <div className="text-lg leading-7 font-semibold tracking-tight sm:text-[20px]">{children}</div>
    </div>
  );
}

/** What is true of the lock, whoever holds it. */
function LockFacts({ lock }: { lock: Lock }) {
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 border-t border-line-soft px-4 py-3.5">
      <Fact name="Liveness">
        <VerdictEvidence lock={lock} />
      </Fact>
      <Fact name="Waiting">{waitersText(lock.waiters)}</Fact>
      {lock.votes !== undefined && (
        <Fact name="Votes">
          <VotesText lock={lock} votes={lock.votes} />
        </Fact>
      )}
      {lock.lastFence !== undefined && <Fact name="Last fence">{lock.lastFence}, given out by Redisson</Fact>}
      {lock.permits !== undefined && <Fact name="Permits">{permitsText(lock.permits)}</Fact>}
      <Fact name="Format">
        <FormatFact lock={lock} />
      </Fact>
      {lock.sharedWith.length > 0 && (
        <Fact name="Same token">
          <SharedKeys keys={lock.sharedWith} />
        </Fact>
      )}
      <Fact name="Version">
        <span className="font-mono text-xs text-ink-3">
          <SafeText text={lock.version ?? "none"} wrap />
        </span>
      </Fact>
    </dl>
  );
}

function permitsText({ available, total }: NonNullable<Lock["permits"]>): string {
  return total === null ? `${available} available` : `${available} of ${total} available`;
}

function FormatFact({ lock }: { lock: Lock }) {
  const [only, second] = formatsOf(lock);
  return (
    <>
      {formatsText(lock)}
      {lock.kind !== null && lock.kind !== "lock" && `, ${lock.kind}`}
      {only !== undefined && second === undefined && (
        <span className="text-ink-3">: {FORMAT_FACTS[only].layout}</span>
      )}
      {lock.confidence !== null && lock.confidence !== "certain" && (
        <span className="text-ink-3">
          , {lock.confidence}:{" "}
          {lock.confidence === "likely" ? "its name and shape say so" : "its shape alone does not tell"}
        </span>
      )}
    </>
  );
}

/** They were taken together, so what is done to one may belong to all. */
function SharedKeys({ keys }: { keys: readonly KeyFields[] }) {
  return (
    <ul className="flex flex-col gap-0.5">
      {keys.map((fields) => (
        <li key={pathOf(fields)}>
          <TargetLink
            href={hrefOf(fields)}
            prefetch={false}
            className="underline decoration-line hover:decoration-ink-3"
          >
            <KeyText text={fields.key} />
          </TargetLink>
        </li>
      ))}
    </ul>
  );
}

function Free({ ending, lock }: { ending: LockEvent | undefined; lock: Lock }) {
  const now = useServerNow();
  const { waiters, votes } = lock;
  const isVotedOn = votes !== undefined && (votes.owners.length > 0 || votes.state === "undecided");
  return (
    <section
      aria-label="Now"
      className="rounded-[10px] border border-line bg-panel px-4 py-4"
      data-testid="free"
    >
      <p className="text-[20px] leading-7 font-semibold tracking-tight">free</p>
      {waiters.count !== null && waiters.count > 0 && <p className="text-warn">{waitersText(waiters)}</p>}
      {isVotedOn && (
        <p className="text-ink-2" data-testid="votes">
          Votes: <VotesText lock={lock} votes={votes} />.
        </p>
      )}
      {ending !== undefined && (
        <p className="text-ink-2">
          The last hold
          {ending.owner !== undefined && <LastOwner owner={ending.owner} />} ended: {endingText(ending)}{" "}
          {now === null ? "" : formatAgo(now - ending.at)}
          {ending.reason ? (
            <>
              , “<SafeText text={ending.reason} wrap />”
            </>
          ) : null}
          .
        </p>
      )}
    </section>
  );
}

function LastOwner({ owner }: { owner: string }) {
  const holdOff = holdOffOf(owner);
  if (holdOff !== null) {
    return (
      <>
        , the <SafeText text={holdOffText(holdOff)} wrap />,
      </>
    );
  }
  return (
    <>
      {", of "}
      <span className="font-mono text-xs">
        <SafeText text={owner} wrap />
      </span>
      ,
    </>
  );
}
