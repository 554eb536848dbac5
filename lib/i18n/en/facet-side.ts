/** What is there of the filters before anything was counted. */
export const facetSide = {
  namespace: "facetSide" as const,
  title: "Filters",
  hide: "Hide filters",
  close: "Close filters",
  clear: (count: number) => `Clear ${count}`,
  clearLong: (count: number) =>
    count === 1 ? "Clear what is chosen here" : `Clear the ${count} that are chosen here`,
  set: "Set filters",
  remove: (term: string) => `Remove filter ${term}`,
  openWith: (count: number) => (count === 0 ? "Filters" : `Filters, ${count} chosen`),
};
