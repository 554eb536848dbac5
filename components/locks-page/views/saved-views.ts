import type { View, ViewInput } from "@/lib/contract/view.ts";

/** What the page shows, as its address says it. */
export interface ListSettings {
  filter: string;
  sort: string;
  /** As `cols` of the address; null: as ever. */
  columns: string | null;
}

const getViewColumns = ({ columns }: Pick<View, "columns">) => columns?.join(",") ?? null;

/** Whether the page shows what a view keeps; of what it leaves open it may show anything. */
export function isViewActive(view: View, { filter, sort, columns }: ListSettings): boolean {
  return (
    view.filter === filter &&
    (view.sort === undefined || view.sort === sort) &&
    (view.columns === undefined || getViewColumns(view) === columns)
  );
}

/** The page with a view open: what the view leaves open stays as it is. */
export function applyView(view: View, { sort, columns }: ListSettings): ListSettings {
  return { filter: view.filter, sort: view.sort ?? sort, columns: getViewColumns(view) ?? columns };
}

/** What is kept of what the page shows. */
export function toSavedView({
  filter,
  sort,
  columns,
}: ListSettings): Pick<ViewInput, "filter" | "sort" | "columns"> {
  return { filter, sort, ...(columns === null ? {} : { columns: columns.split(",") }) };
}

/** A view with something changed, as the server takes it. */
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

/** Names a new view; nobody reads it. */
export function createViewId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What stands behind the `?` of an address that shows it. */
export function buildViewSearch({ filter, sort, columns }: ListSettings, target: string | undefined): string {
  const query = new URLSearchParams();
  if (target !== undefined) query.set("target", target);
  if (filter !== "") query.set("q", filter);
  query.set("sort", sort);
  if (columns !== null) query.set("cols", columns);
  return `?${query}`;
}
