import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Holder } from "@/lib/contract/lock.ts";
import { nameOf, threadOf } from "./lock-facts.ts";

/** One line: what the holder calls itself, else the owner as it stands in Redis. */
export function HolderName({ holder, wrap = false }: { holder: Holder; wrap?: boolean }) {
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

/** Two lines of a table's row. */
export function HolderCell({ holders }: { holders: readonly Holder[] }) {
  const [first] = holders;
  if (first === undefined) return <span className="text-ink-3">free</span>;
  const owners = holders.map(({ owner }) => owner).join(", ");
  const thread = nameOf(first) === null ? threadOf(first.owner) : undefined;
  const second = holders.length > 1 || nameOf(first) !== null;
  return (
    <div className="leading-[1.25]" title={visibleText(owners)}>
      <div className="truncate">
        {holders.length > 1 ? `${holders.length} holders` : <HolderName holder={first} />}
      </div>
      {second && (
        <div className="truncate font-mono text-2xs text-ink-3">
          <SafeText text={owners} />
        </div>
      )}
      {!second && thread !== undefined && (
        <div className="truncate text-2xs text-ink-3">Redisson client, thread {thread}</div>
      )}
    </div>
  );
}
