"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, INPUT } from "@/components/ui/field.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import type { ApiKey } from "@/lib/contract/api-key.ts";
import { useRotateKey } from "@/lib/live/api-keys.ts";
import { SecretSheet } from "./secret-sheet.tsx";

const HOUR_MS = 3_600_000;
const OVERLAPS = [
  { name: "1 hour", ms: HOUR_MS },
  { name: "1 day", ms: 24 * HOUR_MS },
  { name: "7 days", ms: 7 * 24 * HOUR_MS },
  { name: "not at all", ms: 0 },
] as const;

export function KeyRotation({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const rotate = useRotateKey(apiKey.id);
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>(OVERLAPS[1]);
  if (rotate.data !== undefined) return <SecretSheet made={rotate.data} onClose={onClose} />;
  const blocked = rotate.isPending ? "Waiting for the answer" : null;
  return (
    <Sheet
      title={
        <>
          Rotate <SafeText text={apiKey.name} wrap />
        </>
      }
      onClose={onClose}
      onSubmit={() => blocked === null && rotate.mutate({ overlapMs: overlap.ms })}
      actions={
        <Button type="submit" look={overlap.ms === 0 ? "danger" : "primary"} blocked={blocked}>
          Make a new secret
        </Button>
      }
    >
      <ProblemNote problem={rotate.error} />
      <p className="text-ink-2">
        The key stays the same one, with what it holds and may do. It gets a new secret, which is shown next.
      </p>
      <Field
        label="The present secret goes on working for"
        hint={
          overlap.ms === 0
            ? "Apps that use it are refused from now on, and cannot renew what they hold."
            : "Give the new one to the apps within that time."
        }
      >
        {(field) => (
          <select
            {...field}
            className={INPUT}
            value={overlap.name}
            onChange={(event) =>
              setOverlap(OVERLAPS.find((each) => each.name === event.target.value) ?? OVERLAPS[1])
            }
          >
            {OVERLAPS.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        )}
      </Field>
      {(apiKey.oldSecretUntil ?? 0) > apiKey.createdAt && (
        <p className="text-2xs text-ink-3">A secret from a rotation before this one ends at once.</p>
      )}
    </Sheet>
  );
}
