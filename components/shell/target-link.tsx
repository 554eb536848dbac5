"use client";

import Link from "next/link";
import type { ComponentProps } from "react";
import { useTargetName } from "@/lib/live/targets.ts";

/** An address of the console about one target. */
export function hrefAt(href: string, target: string | undefined): string {
  return target === undefined ? href : `${href}?target=${encodeURIComponent(target)}`;
}

/** A link that stays with the target of the page. */
export function TargetLink({ href, ...rest }: Omit<ComponentProps<typeof Link>, "href"> & { href: string }) {
  return <Link {...rest} href={hrefAt(href, useTargetName())} />;
}
