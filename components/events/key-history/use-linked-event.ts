"use client";

import { useSearchParams } from "next/navigation";
import { type RefObject, useEffect, useRef } from "react";

/** The event that a link to a lock's page names, as the answer to a release has one: its line comes into view. */
export function useLinkedEvent(id: string): { place: RefObject<HTMLLIElement | null>; isLinked: boolean } {
  const isLinked = useSearchParams().get("event") === id;
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isLinked) place.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return { place, isLinked };
}
