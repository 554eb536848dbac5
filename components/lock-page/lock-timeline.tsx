"use client";

import { parseAsInteger, useQueryState } from "nuqs";
import { type KeyEvents, usePastKeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { HeldAt, HeldAtForm } from "@/components/events/timeline/held-at.tsx";
import { KeyTimeline } from "@/components/events/timeline/key-timeline.tsx";
import type { Lock } from "@/lib/contract/lock.ts";

interface LockTimelineProps {
  /** The key of the lock, encoded as a path segment. */
  path: string;
  lock: Lock | undefined;
  history: KeyEvents;
}

/** Shows who held the lock up to now, or up to the time in the URL. */
export function LockTimeline({ path, lock, history }: LockTimelineProps) {
  const [at, setAt] = useQueryState("at", parseAsInteger.withOptions({ history: "push" }));
  const past = usePastKeyEvents(path, at ?? undefined);
  const showAt = (moment: number | undefined) => void setAt(moment ?? null);
  // Renders the same elements with and without a time, so that the form keeps the keyboard focus when the time changes.
  return (
    <KeyTimeline
      history={past ?? history}
      kind={lock?.kind ?? null}
      isOverdue={lock?.liveness?.state === "overdue"}
      at={past?.at}
      controls={<HeldAtForm at={past?.at} onAt={showAt} />}
    >
      <HeldAt past={past} />
    </KeyTimeline>
  );
}
