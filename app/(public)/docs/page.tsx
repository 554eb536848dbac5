import { headers } from "next/headers";
import { createTitleMetadata } from "@/app/language.ts";
import { DocsPage } from "@/components/docs/docs-page.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { readSamplePrograms } from "./sample-programs.ts";

export const generateMetadata = createTitleMetadata("docs");

export default async function Page() {
  const [samples, serverUrl] = await Promise.all([readSamplePrograms(), resolveServerUrl()]);
  return <DocsPage samples={samples} serverUrl={serverUrl} />;
}

/**
 * Returns the URL at which the client reaches the server (origin and base path), derived from the request headers.
 * After hydration, the page shows the browser's URL instead.
 */
async function resolveServerUrl(): Promise<string> {
  const request = await headers();
  // The server removes `x-forwarded-proto` unless the request came from a trusted proxy.
  const scheme = request.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${request.get("x-forwarded-host") ?? request.get("host") ?? "127.0.0.1:3000"}${BASE_PATH}`;
}
