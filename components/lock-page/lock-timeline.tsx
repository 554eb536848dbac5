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
  const kind = lock?.kind ?? null;
  const showAt = (moment: number | undefined) => void setAt(moment ?? null);
  const controls = <HeldAtForm at={at ?? undefined} onAt={showAt} />;
  if (at !== null) return <PastTimeline {...{ path, kind, at, controls }} />;
  const isOverdue = lock?.liveness?.state === "overdue";
  return <KeyTimeline {...{ history, kind, isOverdue, controls }} />;
}

interface PastTimelineProps {
  path: string;
  kind: Lock["kind"];
  at: number;
  controls: React.ReactNode;
}

function PastTimeline({ path, kind, at, controls }: PastTimelineProps) {
  const past = usePastKeyEvents(path, at);
  return (
    <KeyTimeline history={past} isOverdue={false} {...{ kind, at, controls }}>
      <HeldAt past={past} />
    </KeyTimeline>
  );
}
