import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock, Votes } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/** Shows how many masters of a quorum voted for each owner, such as "on 3 of 5 masters". */
export function VotesText({ lock, votes }: { lock: Lock; votes: Votes }) {
  const messages = useMessages(english).votes;
  const { of, known, state, agreement, owners } = votes;
  const [holder] = lock.holders;
  if (agreement === "different_owners") return messages.differentOwners;
  // Several holds can have the same label in `owners`. The first match belongs to the holder, because it has the most
  // votes.
  const held = owners.findIndex(({ owner }) => owner === holder?.owner);
  const its = owners[held]?.masters ?? 0;
  const others = owners.filter((_, at) => at !== held);
  return (
    <>
      {holder !== undefined && messages.held(its, of)}
      {holder?.ownersPerMaster?.map((owner, at) => (
        <span key={owner} className="text-ink-3">
          {at === 0 ? messages.ownerPerMaster : messages.and}
          <VoteOwner text={owner} />
        </span>
      ))}
      {others.length > 0 && (
        <span className="text-ink-3">
          {holder === undefined ? "" : messages.after}
          {others.map(({ owner, masters }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several holds may share a label
            <span key={`${at} ${owner}`}>
              {at > 0 && messages.and}
              {messages.has(<VoteOwner text={owner} />, masters)}
            </span>
          ))}
          {messages.noHold(others.length === 1 ? (others[0]?.masters ?? 1) : 2)}
        </span>
      )}
      {holder === undefined && others.length === 0 && messages.none}
      {known < of && <span className="text-warn">{messages.unreachable(of - known)}</span>}
      {state === "undecided" && <span className="text-warn">{messages.undecided}</span>}
    </>
  );
}

function VoteOwner({ text }: { text: string }) {
  return (
    <span className="font-mono text-xs">
      <SafeText text={text} wrap />
    </span>
  );
}
