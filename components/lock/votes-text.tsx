import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock, Votes } from "@/lib/contract/lock.ts";

/** How the masters of a quorum vote: "at 3 of 5 masters". */
export function VotesText({ lock, votes }: { lock: Lock; votes: Votes }) {
  const { of, known, state, owners } = votes;
  const [holder] = lock.holders;
  const its = owners.find(({ owner }) => owner === holder?.owner)?.masters ?? 0;
  const others = owners.filter(({ owner }) => owner !== holder?.owner);
  return (
    <>
      {holder !== undefined && `held at ${its} of ${of} masters`}
      {others.length > 0 && (
        <span className="text-ink-3">
          {holder === undefined ? "" : "; "}
          {others.map(({ owner, masters }, at) => (
            <span key={owner}>
              {at > 0 && ", "}
              <span className="font-mono text-xs">
                <SafeText text={owner} wrap />
              </span>{" "}
              has {masters} {masters === 1 ? "vote" : "votes"}
            </span>
          ))}
          , which {others.length === 1 && others[0]?.masters === 1 ? "makes" : "make"} no hold
        </span>
      )}
      {holder === undefined && others.length === 0 && "none"}
      {known < of && <span className="text-warn">; {awayText(votes)}</span>}
      {state === "undecided" && (
        <span className="text-warn">: they may decide otherwise, so this is as it was decided last</span>
      )}
    </>
  );
}

function awayText({ of, known }: Votes): string {
  const away = of - known;
  return `${away} ${away === 1 ? "is" : "are"} away`;
}
