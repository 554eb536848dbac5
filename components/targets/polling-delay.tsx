"use client";

import { formatUpperBound } from "@/components/ui/format-duration.ts";
import type { PollingDelays } from "@/lib/contract/polling.ts";
import { targets } from "@/lib/i18n/en/targets.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Shows how soon Lockkeeper detects new locks and the end of existing locks on a polled master. Renders nothing if the
 * master is not polled or until both delays have been measured.
 */
export function PollingDelay({ polling }: { polling: PollingDelays | undefined }) {
  const { masters: messages } = useMessages(targets);
  const uiMessages = useMessages(ui);
  const { endsSeenWithinMs = null, newLocksSeenWithinMs = null } = polling ?? {};
  if (endsSeenWithinMs === null || newLocksSeenWithinMs === null) return null;
  const delays = messages.polled(
    formatUpperBound(endsSeenWithinMs, uiMessages),
    formatUpperBound(newLocksSeenWithinMs, uiMessages),
  );
  return <span className="block text-2xs text-ink-3">{delays}</span>;
}
