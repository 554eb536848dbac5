import type { View, ViewInput } from "@/lib/contract/view.ts";

/** The filter, sort order and columns of the list, as in the URL. */
export interface ListSettings {
  filter: string;
  sort: string;
  /** The value of `cols` in the URL; `null` for the default columns. */
  columns: string | null;
}

const getViewColumns = ({ columns }: Pick<View, "columns">) => columns?.join(",") ?? null;

/** Returns whether the current list has all settings of a view. Settings that the view does not contain are ignored. */
export function isViewActive(view: View, { filter, sort, columns }: ListSettings): boolean {
  return (
    view.filter === filter &&
    (view.sort === undefined || view.sort === sort) &&
    (view.columns === undefined || getViewColumns(view) === columns)
  );
}

/**
 * Returns the list settings that result from opening a view. Settings that the view does not contain keep their values.
 */
export function applyView(view: View, { sort, columns }: ListSettings): ListSettings {
  return { filter: view.filter, sort: view.sort ?? sort, columns: getViewColumns(view) ?? columns };
}

/** Converts list settings to the form in which the API stores them in a view. Omits default columns. */
export function toSavedView({
  filter,
  sort,
  columns,
}: ListSettings): Pick<ViewInput, "filter" | "sort" | "columns"> {
  return { filter, sort, ...(columns === null ? {} : { columns: columns.split(",") }) };
}

/** Returns a view with changed fields, in the form that the API expects. */
export function buildViewUpdate(view: View, change: Partial<ViewInput>): { id: string } & ViewInput {
  const { id, name, filter, sort, columns, of } = view;
  return {
    id,
    name,
    filter,
    of,
    ...(sort === undefined ? {} : { sort }),
    ...(columns === undefined ? {} : { columns }),
    ...change,
  };
}

/** Creates a random id for a new view: 12 bytes in hexadecimal. */
export function createViewId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Builds the query string of a URL that opens the list with these settings. */
export function buildViewSearch({ filter, sort, columns }: ListSettings, target: string | undefined): string {
  const query = new URLSearchParams();
  if (target !== undefined) query.set("target", target);
  if (filter !== "") query.set("q", filter);
  query.set("sort", sort);
  if (columns !== null) query.set("cols", columns);
  return `?${query}`;
}
