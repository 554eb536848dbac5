"use client";

import { useSearchParams } from "next/navigation";
import { type RefObject, useEffect, useRef } from "react";

/**
 * Returns whether the `event` parameter of the URL is `id`, and a ref for the row of that event. Scrolls the row into
 * view if it is linked. The result of a release links to its event with this parameter.
 */
export function useLinkedEvent(id: string): { place: RefObject<HTMLLIElement | null>; isLinked: boolean } {
  const isLinked = useSearchParams().get("event") === id;
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isLinked) place.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return { place, isLinked };
}
