/** Returns the element of the row with this lock path; `undefined` if the row is not rendered. */
export function findRowElement(place: HTMLElement | null, path: string): HTMLElement | undefined {
  const rows = place?.querySelectorAll<HTMLElement>("tr[data-path]") ?? [];
  return [...rows].find((row) => row.dataset.path === path);
}
