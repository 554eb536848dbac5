"use client";

import { useSearchParams } from "next/navigation";
import { type RefObject, useEffect, useRef } from "react";

/**
 * Scrolls an event into view if the `event` parameter of the URL contains its id. The result of a release links to such
 * a URL.
 */
export function useLinkedEvent(id: string): { place: RefObject<HTMLLIElement | null>; isLinked: boolean } {
  const isLinked = useSearchParams().get("event") === id;
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isLinked) place.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return { place, isLinked };
}
