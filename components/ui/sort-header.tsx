import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";

/** The CSS classes of a table header that stays in place while the rows scroll. */
export const HEADER_CLASS =
  "sticky top-0 z-10 h-9 border-b border-line bg-bg px-3 font-medium whitespace-nowrap text-ink-3";

interface SortHeaderProps {
  name: string;
  /** Whether the column contains numbers, which are right-aligned. */
  figure: boolean;
  /** The sort order; `undefined` if the rows are sorted by another column. */
  order: "ascending" | "descending" | undefined;
  onSort(): void;
  className: string | undefined;
  /** Additional controls at the edge of the header. */
  children?: ReactNode;
}

export function SortHeader({ name, figure, order, onSort, className, children }: SortHeaderProps) {
  const Arrow = order === "descending" ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      // Without this label, the accessible name would include the other controls in the header.
      aria-label={name}
      aria-sort={order}
      className={clsx(HEADER_CLASS, figure ? "text-right" : "text-left", className)}
    >
      <button
        type="button"
        onClick={onSort}
        className={clsx(
          "inline-flex h-6 items-center gap-1 hover:text-ink",
          figure && "flex-row-reverse",
          order !== undefined && "text-ink",
        )}
      >
        {name}
        {/* Placed in the padding, because the header must keep its width. */}
        {order !== undefined && (
          <Arrow aria-hidden size={12} className={clsx("shrink-0", figure ? "-ml-4" : "-mr-4")} />
        )}
      </button>
      {children}
    </th>
  );
}
