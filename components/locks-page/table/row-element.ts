/** Returns the element of the row with this lock path; `undefined` if the row is not rendered. */
export function findRowElement(place: HTMLElement | null, path: string): HTMLElement | undefined {
  return place?.querySelector<HTMLElement>(`tr[data-path="${CSS.escape(path)}"]`) ?? undefined;
}
