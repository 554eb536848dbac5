"use client";

import { Button } from "@/components/ui/button.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import type { ApiKey } from "@/lib/contract/api-key.ts";
import { useRevokeKey } from "@/lib/live/api-keys.ts";

export function KeyRevocation({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const revoke = useRevokeKey(apiKey.id);
  const blocked = revoke.isPending ? "Waiting for the answer" : null;
  return (
    <Sheet
      title={
        <>
          Revoke <SafeText text={apiKey.name} wrap />
        </>
      }
      onClose={onClose}
      onSubmit={() => blocked === null && revoke.mutate(undefined, { onSuccess: onClose })}
      actions={
        <Button type="submit" look="danger" blocked={blocked}>
          Revoke the key
        </Button>
      }
    >
      <ProblemNote problem={revoke.error} />
      <ul className="flex list-disc flex-col gap-1.5 pl-4 text-ink-2">
        <li>Within two seconds every app that uses it is refused, and its streams end.</li>
        {apiKey.verbs.includes("lock") && (
          <li>
            What it holds stays held and can no longer be renewed: it lapses with its lease, or is freed by
            force. Work under it may go on until then.
          </li>
        )}
        <li>It cannot be taken back. The key stays in the list for 30 days, so that its name is known.</li>
      </ul>
    </Sheet>
  );
}
