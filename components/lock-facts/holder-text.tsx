import clsx from "clsx";
import { MiddleText } from "@/components/ui/middle-text.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Holder } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { getHolderLabel, parseReservedHold, parseThreadId } from "./lock-texts.ts";
import { formatUnknownOwner, identifyOwner, shortenOwner } from "./owner-text.ts";
import { findLatestRequest } from "./release-request.ts";
import { ReleaseRequestMark } from "./release-request-text.tsx";

interface HolderNameProps {
  holder: Pick<Holder, "owner" | "record"> & Partial<Pick<Holder, "holdId">>;
  /** Whether to show the whole text, on several lines if necessary. */
  wrap?: boolean;
  /**
   * Whether the name is part of a heading. In a heading, random values are shortened and the font size follows the
   * surrounding text.
   */
  isHeading?: boolean;
}

/**
 * Shows the holder's name, or the owner string if the holder has no name. Shows a description instead of a
 * reservation's owner string and of an owner string that does not identify a client. Unless `wrap` is set, shows one
 * line and shortens random values in the middle.
 */
export function HolderName({ holder, wrap = false, isHeading = false }: HolderNameProps) {
  const messages = useMessages(english);
  const reservation = parseReservedHold(holder.owner);
  if (reservation !== null) return <ReservationName by={reservation.by} wrap={wrap} />;
  const name = getHolderLabel(holder);
  if (name === null && isOwnerUnknown(holder)) {
    return (
      <span title={toVisibleText(holder.owner)}>
        <SafeText text={formatUnknownOwner(holder.owner, messages) ?? ""} wrap={wrap} />
      </span>
    );
  }
  if (name === null) {
    return (
      <span
        className={clsx("font-mono", isHeading ? "text-[0.9em]" : "text-xs")}
        title={toVisibleText(holder.owner)}
      >
        <SafeText text={wrap && !isHeading ? holder.owner : shortenOwner(holder.owner)} wrap={wrap} />
      </span>
    );
  }
  const who = <SafeText text={name.who} wrap={wrap} />;
  return name.where === undefined ? who : messages.onHost(who, <SafeText text={name.where} wrap={wrap} />);
}

function ReservationName({ by, wrap }: { by: string | null; wrap: boolean }) {
  const messages = useMessages(english);
  return by === null
    ? messages.reservedMinimumHold
    : messages.reservedFor(<SafeText text={by} wrap={wrap} />);
}

/**
 * Returns whether the owner string does not identify a client, such as `1` or a deadline. Always false for holds
 * acquired through the API.
 */
export function isOwnerUnknown({ owner, holdId = null }: HolderNameProps["holder"]): boolean {
  return holdId === null && identifyOwner(owner).is !== "identity";
}

/**
 * Returns whether `HolderName` shows something other than the owner string. If so, the caller also shows the owner
 * string.
 */
export function hasHolderName(holder: Holder): boolean {
  return (
    getHolderLabel(holder) !== null || parseReservedHold(holder.owner) !== null || isOwnerUnknown(holder)
  );
}

interface HolderCellProps {
  holders: readonly Holder[];
  /** The text to show instead of the holder's name if several clients share the lock; `null` otherwise. */
  summary?: string | null;
  /** The kind of the lock, shown at the start of the second line; `null` for none. */
  kind?: string | null;
  /** Whether the owner strings identify clients. */
  isNamed?: boolean;
  /** Whether Lockkeeper cannot read the key, so that it is unknown whether the lock is held. */
  isUnreadable?: boolean;
}

/**
 * Shows the holder, or a summary of several holders, with details such as the host on a second line. If `isNamed` is
 * set, a tooltip contains the owner strings.
 */
export function HolderCell({
  holders,
  summary = null,
  kind = null,
  isNamed = true,
  isUnreadable = false,
}: HolderCellProps) {
  const messages = useMessages(english);
  const [first] = holders;
  if (first === undefined) {
    return <span className="text-ink-3">{isUnreadable ? messages.unreadable : messages.notHeld}</span>;
  }
  const owners = listOwners(holders);
  const label = holders.length > 1 || isReserved(first) ? null : getHolderLabel(first);
  const name = summary ?? (holders.length > 1 ? messages.holders(holders.length) : null);
  const hasDetail = isNamed && (label === null || summary !== null || label.who !== owners);
  return (
    <div className="leading-[1.25]" title={isNamed ? toVisibleText(owners) : undefined}>
      <div className="truncate">
        <ReleaseRequestMark request={findLatestRequest(holders)} />
        {name ?? (label === null ? <HolderName holder={first} /> : <SafeText text={label.who} />)}
      </div>
      <div data-second className="truncate text-2xs text-ink-3">
        {kind}
        {kind !== null && hasDetail && " · "}
        {hasDetail &&
          (summary === null ? (
            <HolderDetail holders={holders} host={label?.where} />
          ) : (
            <span className="font-mono">
              <SafeText text={shortenOwners(holders)} />
            </span>
          ))}
      </div>
    </div>
  );
}

/** The maximum number of owner strings to show in a cell or a tooltip. */
const LISTED_OWNERS_MAX = 20;

const listOwners = (holders: readonly Holder[]) =>
  holders
    .slice(0, LISTED_OWNERS_MAX)
    .map(({ owner }) => owner)
    .join(", ") + (holders.length > LISTED_OWNERS_MAX ? ", …" : "");

const shortenOwners = (holders: readonly Holder[]) =>
  holders
    .slice(0, LISTED_OWNERS_MAX)
    .map(({ owner }) => shortenOwner(owner))
    .join(", ");

/**
 * Shows the host, or the owner strings if the host is unknown. If the first line already shows the owner string, shows
 * the Redisson thread instead, or nothing if there is none.
 */
function HolderDetail({ holders, host }: { holders: readonly Holder[]; host: string | undefined }) {
  const messages = useMessages(english);
  const [first] = holders;
  if (host !== undefined) return <MiddleText text={host} />;
  if (first !== undefined && holders.length === 1 && !hasHolderName(first)) {
    const thread = parseThreadId(first.owner);
    return thread === undefined ? null : messages.redissonThread(thread);
  }
  return (
    <span className="font-mono">
      <SafeText text={shortenOwners(holders)} />
    </span>
  );
}

const isReserved = ({ owner }: Holder): boolean => parseReservedHold(owner) !== null;
