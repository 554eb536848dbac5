"use client";

import { LockFinder } from "@/components/formats/lock-finder.tsx";
import { Command } from "@/components/ui/command.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { BASE_PATH } from "@/lib/live/base-path.ts";

function acquireCommand(origin: string): string {
  return [
    `curl ${origin}${BASE_PATH}/api/v1/locks/lock:orders:42/acquire \\`,
    `  -H "Authorization: Bearer $LOCKKEEPER_ROOT_KEY" \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"owner":"checkout@pod-7:311","leaseMs":60000,"record":{"service":"checkout"}}'`,
  ].join("\n");
}

export function NothingHeld({ watch }: { watch: readonly string[] }) {
  return (
    <EmptyState title="No locks are held">
      <p>
        A lock appears here the moment somebody takes it. Take one yourself; it shows within a second and
        counts down:
      </p>
      <Command text={acquireCommand(location.origin)} label="Copy the command" />
      <p>
        The key was printed at the first start, or is what you set as{" "}
        <code className="font-mono text-xs">LOCKKEEPER_ROOT_KEY</code>. Locks of other clients, Redisson's for
        instance, are listed too when their key matches{" "}
        {watch.map((pattern, index) => (
          <span key={pattern}>
            {index > 0 && ", "}
            <code className="font-mono text-xs">
              <SafeText text={pattern} />
            </code>
          </span>
        ))}
        . Are there others?
      </p>
      <LockFinder />
    </EmptyState>
  );
}
