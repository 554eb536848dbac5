"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useTargetName, useTargets } from "@/lib/queries/targets.ts";
import { buildTargetHref } from "../app/target-link.tsx";

/**
 * Lists all targets instead of the children if the target in the URL does not exist. Otherwise, or while the targets
 * load, renders the children. Old or edited URLs can contain the name of a target that does not exist.
 */
export function TargetCheck({ children }: { children: ReactNode }) {
  const messages = useMessages(shell);
  const name = useTargetName();
  const targets = useTargets();
  if (name === undefined || targets === undefined || targets.some((each) => each.name === name))
    return children;
  return (
    <EmptyState page title={messages.unknownTarget}>
      <p>{messages.unknownTargetNamed(<SafeText text={name} />)}</p>
      <ul className="flex flex-col gap-1">
        {targets.map(({ name: each, label }) => (
          <li key={each}>
            <Link href={buildTargetHref("/", each)} className="text-accent hover:underline">
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}
