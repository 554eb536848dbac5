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
 * Returns the server's URL as the client sees it, from the request headers: the origin and the base path. After
 * hydration, the page uses the URL in the browser instead.
 */
async function resolveServerUrl(): Promise<string> {
  const request = await headers();
  // The server forwards this header only from trusted proxies.
  const scheme = request.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${request.get("x-forwarded-host") ?? request.get("host") ?? "127.0.0.1:3000"}${BASE_PATH}`;
}
