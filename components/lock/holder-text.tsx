import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Holder } from "@/lib/contract/lock.ts";
import { holdOffOf, nameOf, threadOf } from "./lock-facts.ts";

interface HolderNameProps {
  holder: Pick<Holder, "owner" | "record">;
  wrap?: boolean;
}

/** One line: what the holder calls itself, else the owner as it stands in Redis. */
export function HolderName({ holder, wrap = false }: HolderNameProps) {
  const holdOff = holdOffOf(holder.owner);
  if (holdOff !== null) return <HoldOffName by={holdOff.by} wrap={wrap} />;
  const name = nameOf(holder);
  if (name === null) {
    return (
      <span className="font-mono text-xs">
        <SafeText text={holder.owner} wrap={wrap} />
      </span>
    );
  }
  return (
    <>
      <SafeText text={name.who} wrap={wrap} />
      {name.where !== undefined && (
        <>
          <span className="text-ink-3"> on </span>
          <SafeText text={name.where} wrap={wrap} />
        </>
      )}
    </>
  );
}

function HoldOffName({ by, wrap }: { by: string | null; wrap: boolean }) {
  if (by === null) return <>held off: least hold time</>;
  return (
    <>
      held off by <SafeText text={by} wrap={wrap} />
    </>
  );
}

/** Whether a holder has a name for people, so that its owner stands second. */
export function hasName(holder: Holder): boolean {
  return nameOf(holder) !== null || holdOffOf(holder.owner) !== null;
}

/** Two lines of a table's row. */
export function HolderCell({ holders }: { holders: readonly Holder[] }) {
  const [first] = holders;
  if (first === undefined) return <span className="text-ink-3">free</span>;
  const owners = holders.map(({ owner }) => owner).join(", ");
  const thread = hasName(first) ? undefined : threadOf(first.owner);
  const second = holders.length > 1 || hasName(first);
  return (
    <div className="leading-[1.25]" title={visibleText(owners)}>
      <div className="truncate">
        {holders.length > 1 ? `${holders.length} holders` : <HolderName holder={first} />}
      </div>
      {second && (
        <div data-second className="truncate font-mono text-2xs text-ink-3">
          <SafeText text={owners} />
        </div>
      )}
      {!second && thread !== undefined && (
        <div data-second className="truncate text-2xs text-ink-3">
          Redisson client, thread {thread}
        </div>
      )}
    </div>
  );
}
