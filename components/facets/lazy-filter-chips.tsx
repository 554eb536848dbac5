"use client";

import clsx from "clsx";
import dynamic from "next/dynamic";
import { findFacetTerms } from "./facet-terms.ts";
import type { FilterChipsProps } from "./filter-chips.tsx";
import { useFacetVisibility } from "./use-facet-visibility.ts";

const LoadedFilterChips = dynamic(() => import("./filter-chips.tsx").then((module) => module.FilterChips), {
  ssr: false,
  loading: FilterChipsPlaceholder,
});

/** Loads and shows the chips for the active filters. Shows nothing if no filter is active. */
export function FilterChips(props: FilterChipsProps) {
  return findFacetTerms(props.filter).length > 0 && <LoadedFilterChips {...props} />;
}

/** Reserves the space of the chips on phones, so that the rows do not move when the chips appear. */
function FilterChipsPlaceholder() {
  const { closedClass } = useFacetVisibility();
  return <div className={clsx("max-sm:order-last max-sm:h-11 max-sm:w-full", closedClass)} />;
}
