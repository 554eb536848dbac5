import type { Metadata, Viewport } from "next";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import { FONTS_COOKIE } from "@/components/app/fonts-cookie.ts";
import { LoginCommandProvider } from "@/components/app/login-command.tsx";
import { AppProviders } from "@/components/shell/app-providers.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { LANGUAGE_TAGS } from "@/lib/i18n/language.ts";
import { MessagesProvider } from "@/lib/i18n/messages-provider.tsx";
import { getRuntime } from "@/server/global-runtime.ts";
import { monoFont, sansFont } from "./fonts.ts";
import { getDescription, resolveRequestLanguage } from "./language.ts";
import "./globals.css";

export async function generateMetadata(): Promise<Metadata> {
  return {
    title: { default: "Lockkeeper", template: "%s · Lockkeeper" },
    description: await getDescription(),
    robots: { index: false, follow: false },
    // Next.js does not add the base path to the URLs in metadata.
    manifest: `${BASE_PATH}/site.webmanifest`,
    icons: {
      icon: [
        { url: `${BASE_PATH}/favicon.ico`, sizes: "32x32" },
        { url: `${BASE_PATH}/favicon.svg`, type: "image/svg+xml" },
      ],
      apple: `${BASE_PATH}/apple-touch-icon.png`,
    },
  };
}

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#181817" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Reading the headers also makes every page dynamic. A static page could not contain a nonce for each request.
  const [received, stored, language] = await Promise.all([headers(), cookies(), resolveRequestLanguage()]);
  const nonce = received.get("x-nonce") ?? undefined;
  const hasFonts = stored.has(FONTS_COOKIE);
  return (
    // A script sets the theme class before hydration, so the class differs from the class in the server's HTML.
    <html
      lang={LANGUAGE_TAGS[language]}
      className={hasFonts ? `${sansFont.variable} ${monoFont.variable}` : undefined}
      suppressHydrationWarning
    >
      <body>
        <AppProviders nonce={nonce}>
          <LoginCommandProvider command={getRuntime()?.loginCommand ?? "lockkeeper login"}>
            <MessagesProvider language={language}>{children}</MessagesProvider>
          </LoginCommandProvider>
        </AppProviders>
      </body>
    </html>
  );
}
