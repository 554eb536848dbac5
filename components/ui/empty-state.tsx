import type { ReactNode } from "react";

interface EmptyStateProps {
  title: string;
  /** Whether the title is the `h1` heading of the page. Otherwise, the title is an `h2` heading. */
  page?: boolean;
  children: ReactNode;
}

export function EmptyState({ title, page = false, children }: EmptyStateProps) {
  const Heading = page ? "h1" : "h2";
  return (
    <div className="mx-auto flex w-full max-w-[640px] flex-col gap-3 px-4 py-12">
      <Heading className="text-lg font-semibold tracking-tight">{title}</Heading>
      <div className="flex flex-col gap-3 text-ink-2">{children}</div>
    </div>
  );
}
