import type { ReactNode } from "react";

/** What the server's own document says, which is English in every language of the console. */
export function EnglishText({ children }: { children: ReactNode }) {
  return (
    <span lang="en" translate="no" className="contents">
      {children}
    </span>
  );
}
