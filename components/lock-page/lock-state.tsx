"use client";

import { TargetLink } from "@/components/app/target-link.tsx";
import type { KeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { Fact } from "@/components/release/hold-facts.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { KeyFields } from "@/lib/keys/key.ts";
import { eldestOf } from "../lock-facts/duration-rating.ts";
import { KeyText } from "../lock-facts/key-text.tsx";
import { VerdictEvidence } from "../lock-facts/liveness-text.tsx";
import { hrefOf, pathOf } from "../lock-facts/lock-path.ts";
import { holdOffOf } from "../lock-facts/lock-texts.ts";
import { HeldFor, LeaseBar, Remaining } from "../lock-facts/lock-times.tsx";
import { formatsOf, formatsText } from "../lock-facts/use-format-texts.ts";
import { VotesText } from "../lock-facts/votes-text.tsx";
import { WaitersFigure } from "../lock-facts/waiters-text.tsx";
import { HolderFacts } from "./holder-facts.tsx";
import { IfFreed } from "./if-released.tsx";
import { StateSentence } from "./state-sentence.tsx";
import { UsuallyHeld } from "./typical-held-time.tsx";
import { FreeLock } from "./unheld-lock.tsx";

interface LockNowProps {
  lock: Lock;
  history: KeyEvents;
  /** Frees one of several holders. */
  onFree(holder: Holder): void;
  blocked: string | null;
}

/** The lock as it stands in Redis now: what is stuck, who holds it, whether they are alive, what follows if it is freed. */
export function LockNow({ lock, history, onFree, blocked }: LockNowProps) {
  const words = useWords(lockPage);
  return (
    <section aria-label={words.parts.now} className="rounded-[10px] border border-line bg-panel">
      {lock.holders.length === 0 ? (
        <FreeLock lock={lock} history={history} />
      ) : (
        <>
          <StateSentence lock={lock} />
          <Figures lock={lock} />
          <Answers lock={lock} />
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
        </>
      )}
    </section>
  );
}

function Figures({ lock }: { lock: Lock }) {
  const words = useWords(lockPage);
  const { holders } = lock;
  const isShared = holders.length > 1;
  return (
    <div className="grid grid-cols-2 border-b border-line-soft sm:grid-cols-[3fr_3fr_2fr_2fr]">
      <Figure name={words.expiresIn}>
        <Remaining lock={lock} />
        <LeaseBar lock={lock} className="mt-2 w-full max-w-48" />
      </Figure>
      <Figure name={words.heldFor}>
        <HeldFor holder={eldestOf(lock)} />
        <UsuallyHeld path={pathOf(lock)} />
      </Figure>
      <Figure name={words.waiting}>
        <WaitersFigure waiters={lock.waiters} />
      </Figure>
      <Figure name={isShared ? words.holders : words.count}>
        {isShared ? holders.length : holders.reduce((sum, { count }) => sum + count, 0)}
      </Figure>
    </div>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-h-[86px] border-line-soft px-4 py-3 max-sm:odd:border-r max-sm:nth-[-n+2]:border-b sm:not-last:border-r">
      <div className="text-2xs text-ink-3">{name}</div>
      <div className="text-lg leading-7 font-semibold tracking-tight sm:text-[20px]">{children}</div>
    </div>
  );
}

const FACTS = "grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 px-4 py-3.5";

/** Is it alive, and what follows. */
function Answers({ lock }: { lock: Lock }) {
  const words = useWords(lockPage);
  // Nobody works under one, so nobody is alive or dead.
  const isHoldOff = lock.holders.some(({ owner }) => holdOffOf(owner) !== null);
  return (
    <dl className={FACTS}>
      {!isHoldOff && (
        <Fact name={words.liveness}>
          <VerdictEvidence lock={lock} />
        </Fact>
      )}
      <Fact name={words.ifFreed}>
        <IfFreed lock={lock} />
      </Fact>
    </dl>
  );
}

/** What is true of the lock, whoever holds it. */
function LockFacts({ lock }: { lock: Lock }) {
  const words = useWords(lockPage);
  return (
    <dl className={`${FACTS} border-t border-line-soft`}>
      {lock.votes !== undefined && (
        <Fact name={words.votes}>
          <VotesText lock={lock} votes={lock.votes} />
        </Fact>
      )}
      {lock.lastFence !== undefined && (
        <Fact name={words.lastFence}>{words.fromRedisson(lock.lastFence)}</Fact>
      )}
      {lock.permits !== undefined && (
        <Fact name={words.permits}>{words.permitsLeft(lock.permits.available, lock.permits.total)}</Fact>
      )}
      <Fact name={words.format}>
        <FormatFact lock={lock} />
      </Fact>
      {lock.sharedWith.length > 0 && (
        <Fact name={words.sameToken}>
          <SharedKeys keys={lock.sharedWith} />
        </Fact>
      )}
      <Fact name={words.version}>
        <span className="font-mono text-xs text-ink-3">
          <SafeText text={lock.version ?? words.noVersion} wrap />
        </span>
      </Fact>
    </dl>
  );
}

function FormatFact({ lock }: { lock: Lock }) {
  const words = useWords(lockPage);
  const shared = useWords(lockWords);
  const { layouts } = useWords(formatFacts);
  const [only, second] = formatsOf(lock);
  const formats = formatsText(lock, shared);
  return (
    <>
      {lock.kind === null || lock.kind === "lock" ? formats : words.ofKind(formats, lock.kind)}
      {only !== undefined && second === undefined && (
        <span className="text-ink-3">{words.layout(layouts[only])}</span>
      )}
      {lock.confidence !== null && lock.confidence !== "certain" && (
        <span className="text-ink-3">{words.confidence[lock.confidence]}</span>
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
            className="inline-flex min-h-6 items-center underline decoration-line hover:decoration-ink-3"
          >
            <KeyText text={fields.key} />
          </TargetLink>
        </li>
      ))}
    </ul>
  );
}
