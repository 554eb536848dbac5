"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";
import { useTargetName } from "@/lib/queries/targets.ts";

/** Returns the URL of a console page for a target. @param href a path, optionally with a query */
export function buildTargetHref(href: string, target: string | undefined): string {
  return target === undefined
    ? href
    : `${href}${href.includes("?") ? "&" : "?"}target=${encodeURIComponent(target)}`;
}

type TargetLinkProps = Omit<ComponentProps<typeof Link>, "href"> & { href: string };

/**
 * Renders a link that keeps the target of the current page. By default, prefetches on hover only, because prefetching
 * all visible links would occupy connections that the first rows need.
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
