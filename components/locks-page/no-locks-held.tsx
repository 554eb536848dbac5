"use client";

import { LockFinder } from "@/components/formats/lock-finder.tsx";
import { CommandLine } from "@/components/ui/command-line.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { emptyLocks } from "@/lib/i18n/en/empty-locks.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { UnlistedLocksHint } from "./unlisted-locks.tsx";

function buildAcquireCommand(origin: string): string {
  return [
    `curl ${origin}${BASE_PATH}/api/v1/locks/lock:orders:42/acquire \\`,
    `  -H "Authorization: Bearer $LOCKKEEPER_API_KEY" \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"owner":"checkout@pod-7:311","leaseMs":60000,"record":{"service":"checkout"}}'`,
  ].join("\n");
}

interface NoLocksHeldProps {
  watch: readonly string[];
  onFilter(filter: string): void;
}

export function NoLocksHeld({ watch, onFilter }: NoLocksHeldProps) {
  const messages = useMessages(emptyLocks);
  const patterns = watch.map((pattern, index) => (
    <span key={pattern}>
      {index > 0 && ", "}
      <code className="font-mono text-xs">
        <SafeText text={pattern} />
      </code>
    </span>
  ));
  return (
    <EmptyState title={messages.nothingHeld.title}>
      <UnlistedLocksHint onFilter={onFilter} />
      <p>{messages.nothingHeld.text}</p>
      <CommandLine text={buildAcquireCommand(location.origin)} label={messages.copy} />
      <p>{messages.nothingHeld.keyAndOthers(patterns)}</p>
      <LockFinder />
    </EmptyState>
  );
}
