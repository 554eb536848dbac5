"use client";

import { formatUpperBound } from "@/components/ui/format-duration.ts";
import type { PollingDelays } from "@/lib/contract/polling.ts";
import { targets } from "@/lib/i18n/en/targets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/** Shows the delay of changes on a polled master, once it was measured. */
export function PollingDelay({ polling }: { polling: PollingDelays | undefined }) {
  const { masters: messages } = useMessages(targets);
  const { endsSeenWithinMs = null, newLocksSeenWithinMs = null } = polling ?? {};
  if (endsSeenWithinMs === null || newLocksSeenWithinMs === null) return null;
  const delays = messages.polled(formatUpperBound(endsSeenWithinMs), formatUpperBound(newLocksSeenWithinMs));
  return <span className="block text-2xs text-ink-3">{delays}</span>;
}
