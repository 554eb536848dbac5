"use client";

import { TargetLink } from "@/components/app/target-link.tsx";
import type { KeyFields } from "@/lib/keys/key.ts";
import { KeyText } from "./key-text.tsx";
import { buildLockHref } from "./lock-path.ts";

/** Renders a link to a lock's page. */
export function LockLink({ fields }: { fields: KeyFields }) {
  return (
    <TargetLink
      href={buildLockHref(fields)}
      prefetch={false}
      className="inline-flex min-h-6 max-w-full min-w-0 items-center underline decoration-line hover:decoration-ink-3"
    >
      <KeyText text={fields.key} />
    </TargetLink>
  );
}
