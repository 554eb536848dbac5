/** Messages for the frame of the filter panel, which loads before the counts. */
export const facetSide = {
  namespace: "facetSide" as const,
  title: "Filters",
  hide: "Hide filters",
  close: "Close filters",
  clear: (count: number) => `Clear ${count}`,
  clearLong: (count: number) => (count === 1 ? "Clear 1 filter" : `Clear ${count} filters`),
  set: "Active filters",
  remove: (term: string) => `Remove filter ${term}`,
  openWith: (count: number) => (count === 0 ? "Filters" : `Filters, ${count} active`),
};
