import type { ReactNode } from "react";

/** The CSS classes of a list page, which has the full width. Only the list scrolls. */
export const LIST_PAGE_CLASS = "flex min-h-0 flex-1 flex-col gap-2 px-3 pt-3 sm:px-4";

/** The CSS classes of a page with sections, which scrolls as a whole. */
export const SECTION_PAGE_CLASS = "mx-auto flex w-full max-w-[1080px] flex-col gap-4 px-3 pt-3 pb-6 sm:px-4";

interface PageHeaderProps {
  title: string;
  /** Placed to the right of the title. */
  children?: ReactNode;
}

export function PageHeader({ title, children }: PageHeaderProps) {
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-2">
      <h1 className="mr-2 text-lg font-semibold tracking-tight">{title}</h1>
      {children}
    </div>
  );
}
