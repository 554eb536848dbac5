import { headers } from "next/headers";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { getRuntime } from "@/server/global-runtime.ts";

/** Headers that identify the browser. No `authorization`: pages only use sessions. */
const FORWARDED_HEADERS = [
  "cookie",
  "host",
  "x-forwarded-for",
  "x-forwarded-proto",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
] as const;

/**
 * Sends a GET to the API of this process on behalf of the browser that requested the page, so that it is authenticated,
 * authorized and rate-limited as a request of that browser.
 *
 * @param path below `/api/v1`, with its query
 * @returns undefined when only the pages are running
 */
export async function requestApi(path: string): Promise<Response | undefined> {
  const runtime = getRuntime();
  if (runtime === undefined) return undefined;
  const received = await headers();
  const forwarded = FORWARDED_HEADERS.flatMap((name): [string, string][] => {
    const value = received.get(name);
    return value === null ? [] : [[name, value]];
  });
  // Only the path and query of the URL are used.
  const url = `http://localhost${BASE_PATH}/api/v1${path}`;
  return await runtime.handleWebRequest(new Request(url, { headers: forwarded }));
}
