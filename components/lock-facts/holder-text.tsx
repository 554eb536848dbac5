import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Holder } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { holdOffOf, nameOf, shortOwner, threadOf } from "./lock-texts.ts";

interface HolderNameProps {
  holder: Pick<Holder, "owner" | "record">;
  wrap?: boolean;
}

/** What the holder calls itself, else the owner as it stands in Redis; on one line without the middle of an id. */
export function HolderName({ holder, wrap = false }: HolderNameProps) {
  const words = useWords(english);
  const holdOff = holdOffOf(holder.owner);
  if (holdOff !== null) return <HoldOffName by={holdOff.by} wrap={wrap} />;
  const name = nameOf(holder);
  if (name === null) {
    return (
      <span className="font-mono text-xs">
        <SafeText text={wrap ? holder.owner : shortOwner(holder.owner)} wrap={wrap} />
      </span>
    );
  }
  const who = <SafeText text={name.who} wrap={wrap} />;
  return name.where === undefined ? who : words.onHost(who, <SafeText text={name.where} wrap={wrap} />);
}

function HoldOffName({ by, wrap }: { by: string | null; wrap: boolean }) {
  const words = useWords(english);
  return by === null ? words.heldOffLeast : words.heldOffBy(<SafeText text={by} wrap={wrap} />);
}

/** Whether a holder has a name for people, so that its owner stands second. */
export function hasName(holder: Holder): boolean {
  return nameOf(holder) !== null || holdOffOf(holder.owner) !== null;
}

/** Two lines of a table's row. */
export function HolderCell({ holders }: { holders: readonly Holder[] }) {
  const words = useWords(english);
  const [first] = holders;
  if (first === undefined) return <span className="text-ink-3">{words.free}</span>;
  const owners = holders.map(({ owner }) => owner).join(", ");
  const thread = hasName(first) ? undefined : threadOf(first.owner);
  const second = holders.length > 1 || hasName(first);
  return (
    <div className="leading-[1.25]" title={visibleText(owners)}>
      <div className="truncate">
        {holders.length > 1 ? words.holders(holders.length) : <HolderName holder={first} />}
      </div>
      {second && (
        <div data-second className="truncate font-mono text-2xs text-ink-3">
          <SafeText text={holders.map(({ owner }) => shortOwner(owner)).join(", ")} />
        </div>
      )}
      {!second && thread !== undefined && (
        <div data-second className="truncate text-2xs text-ink-3">
          {words.redissonThread(thread)}
        </div>
      )}
    </div>
  );
}
