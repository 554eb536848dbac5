"use client";

import Link from "next/link";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { emptyLocks } from "@/lib/i18n/en/empty-locks.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLogout } from "@/lib/queries/access/logout.ts";
import { useTargetName, useTargets } from "@/lib/queries/targets.ts";

/**
 * Replaces the page while the server refuses the stream of its target. If the URL names the target, lists the targets
 * that the user can read. Otherwise, opens the same page for the first of these.
 */
export function TargetRefused() {
  const messages = useMessages(emptyLocks).refused;
  const name = useTargetName();
  const targets = useTargets();
  const first = targets?.[0]?.name;
  const router = useRouter();
  const pathname = usePathname();
  const query = useSearchParams();
  useEffect(() => {
    if (name !== undefined || first === undefined) return;
    const withTarget = new URLSearchParams(query);
    withTarget.set("target", first);
    router.replace(`${pathname}?${withTarget}`);
  }, [name, first, router, pathname, query]);
  if (targets === undefined) return null;
  if (first === undefined) {
    return (
      <EmptyState page title={messages.noTargets}>
        <p>{messages.noTargetsAdvice}</p>
        <LogoutButton />
      </EmptyState>
    );
  }
  if (name === undefined) return null;
  return (
    <EmptyState page title={messages.title}>
      <p>{messages.text(<SafeText text={name} />)}</p>
      <ul className="flex flex-col gap-1">
        {targets.map(({ name: each, label }) => (
          <li key={each}>
            <Link href={buildTargetHref("/", each)} className="text-accent hover:underline">
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <LogoutButton />
    </EmptyState>
  );
}

/** The top bar has no logout button here, because it shows the operator of the stream. */
function LogoutButton() {
  const messages = useMessages(emptyLocks).refused;
  const logout = useLogout();
  return (
    <Button className="self-start" onClick={() => logout.run()}>
      {logout.isFailed ? messages.logOutFailed : messages.logOut}
    </Button>
  );
}
