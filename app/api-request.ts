import { headers } from "next/headers";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { getRuntime } from "@/server/global-runtime.ts";

/**
 * Request headers by which the API authenticates and rate-limits the browser. `authorization` is omitted because pages
 * authenticate with the session cookie only.
 */
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
 * Sends a GET request to the API of this process on behalf of the browser that requested the page. The API
 * authenticates, authorizes and rate-limits the request as if the browser had sent it.
 *
 * @param path relative to `/api/v1`, including the query
 * @returns the API's response; `undefined` if this process serves pages without the API
 */
export async function requestApi(path: string): Promise<Response | undefined> {
  const runtime = getRuntime();
  if (runtime === undefined) return undefined;
  const received = await headers();
  const forwarded = FORWARDED_HEADERS.flatMap((name): [string, string][] => {
    const value = received.get(name);
    return value === null ? [] : [[name, value]];
  });
  // The API ignores the origin of the URL.
  const url = `http://localhost${BASE_PATH}/api/v1${path}`;
  return await runtime.handleWebRequest(new Request(url, { headers: forwarded }));
}
