"use client";

import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";

export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <ThemeProvider attribute="class" disableTransitionOnChange {...(nonce === undefined ? {} : { nonce })}>
      {children}
    </ThemeProvider>
  );
}
