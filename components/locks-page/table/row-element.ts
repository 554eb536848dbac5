/** The row of a lock, where it is drawn. */
export function findRowElement(place: HTMLElement | null, path: string): HTMLElement | undefined {
  const rows = place?.querySelectorAll<HTMLElement>("tr[data-path]") ?? [];
  return [...rows].find((row) => row.dataset.path === path);
}
