import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Providers } from "@/components/shell/providers.tsx";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Lockkeeper", template: "%s · Lockkeeper" },
  description: "Who holds every lock in this Redis, live.",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#181817" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Reading a header also keeps every page dynamic, which a nonce needs.
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    // The theme's class is set by a script before React wakes up.
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <body>
        <Providers nonce={nonce}>{children}</Providers>
      </body>
    </html>
  );
}
