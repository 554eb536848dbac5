"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";
import { useTargetName } from "@/lib/queries/targets.ts";

/** An address of the console about one target. */
export function buildTargetHref(href: string, target: string | undefined): string {
  return target === undefined ? href : `${href}?target=${encodeURIComponent(target)}`;
}

type TargetLinkProps = Omit<ComponentProps<typeof Link>, "href"> & { href: string };

/**
 * A link that stays with the target of the page. What it leads to is fetched when somebody points at it: all that are on
 * screen, fetched as the page opens, would take the connections from its first rows.
 */
export function TargetLink({ href, prefetch, ...rest }: TargetLinkProps) {
  const [isPointedAt, setIsPointedAt] = useState(false);
  return (
    <Link
      prefetch={prefetch ?? (isPointedAt ? null : false)}
      onPointerEnter={() => setIsPointedAt(true)}
      {...rest}
      href={buildTargetHref(href, useTargetName())}
    />
  );
}
