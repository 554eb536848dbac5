"use client";

import { useSearchParams } from "next/navigation";
import { type RefObject, useEffect, useRef } from "react";

/**
 * Returns whether the URL links to the event `id` with its `event` parameter, and a ref for the row of that event.
 * Scrolls the row of a linked event into view. The result of a release contains a link with this parameter.
 */
export function useLinkedEvent(id: string): { place: RefObject<HTMLLIElement | null>; isLinked: boolean } {
  const isLinked = useSearchParams().get("event") === id;
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isLinked) place.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return { place, isLinked };
}
