import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";

/** Of all heads of a table that scrolls under them. */
export const HEADER_CLASS =
  "sticky top-0 z-10 h-9 border-b border-line bg-bg px-3 font-medium whitespace-nowrap text-ink-3";

interface SortHeaderProps {
  name: string;
  /** Whether its figures stand at the right. */
  figure: boolean;
  /** undefined: the rows are in another order. */
  order: "ascending" | "descending" | undefined;
  onSort(): void;
  className: string | undefined;
  /** What else is done with it, at its edge. */
  children?: ReactNode;
}

/** The head of a column by which rows are put in order. */
export function SortHeader({ name, figure, order, onSort, className, children }: SortHeaderProps) {
  const Arrow = order === "descending" ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      // Without the names of what else stands in it.
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
        {/* It stands in the padding: the header keeps its width. */}
        {order !== undefined && (
          <Arrow aria-hidden size={12} className={clsx("shrink-0", figure ? "-ml-4" : "-mr-4")} />
        )}
      </button>
      {children}
    </th>
  );
}
