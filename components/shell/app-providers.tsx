"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { ThemeProvider } from "next-themes";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";

function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: 1 },
      // A mutation fails immediately while the server is unreachable, because an action must never be sent later than
      // requested.
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

export function AppProviders({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const [client] = useState(createQueryClient);
  const withNonce = nonce === undefined ? {} : { nonce };
  return (
    <ThemeProvider attribute="class" disableTransitionOnChange {...withNonce}>
      <CSPProvider {...withNonce}>
        <QueryClientProvider client={client}>
          <NuqsAdapter>{children}</NuqsAdapter>
        </QueryClientProvider>
      </CSPProvider>
    </ThemeProvider>
  );
}
