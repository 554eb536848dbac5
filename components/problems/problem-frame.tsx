import type { ReactNode } from "react";

export function ProblemFrame({ children }: { children: ReactNode }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-[960px] flex-col gap-5 px-3 py-5 sm:px-5">{children}</div>
    </div>
  );
}
