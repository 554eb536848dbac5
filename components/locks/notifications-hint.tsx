"use client";

import { Command } from "@/components/ui/command.tsx";
import { useLive } from "@/lib/live/hooks.ts";

/** Without notifications the picture is right, but later. */
export function NotificationsHint() {
  const { health } = useLive();
  if (health === null || health.notifications === "on" || health.state === "down") return null;
  return (
    <details className="rounded-[8px] border border-line bg-warn-bg px-3 py-1.5 text-ink-2">
      <summary className="cursor-pointer">
        <span className="font-medium text-warn">Notifications are off in this Redis:</span> changes by others
        are found by looking again, so they show later.
      </summary>
      <div className="flex flex-col gap-2 pt-2 pb-1">
        <p>
          {health.detail ??
            "To see them at once, run this in Redis, or start Lockkeeper with LOCKKEEPER_NOTIFICATIONS=set."}
        </p>
        <Command text="CONFIG SET notify-keyspace-events Kghszxe$" label="Copy the command" />
      </div>
    </details>
  );
}
