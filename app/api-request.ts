import { headers } from "next/headers";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { getRuntime } from "@/server/global-runtime.ts";

/** Headers that identify the browser. `authorization` is not among them, because pages use sessions only. */
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
 * Sends a GET request to the API of this process, on behalf of the browser that requested the page. The API
 * authenticates, authorizes and rate-limits it like a request from that browser.
 *
 * @param path relative to `/api/v1`, including the query
 * @returns `undefined` if only the pages are running
 */
export async function requestApi(path: string): Promise<Response | undefined> {
  const runtime = getRuntime();
  if (runtime === undefined) return undefined;
  const received = await headers();
  const forwarded = FORWARDED_HEADERS.flatMap((name): [string, string][] => {
    const value = received.get(name);
    return value === null ? [] : [[name, value]];
  });
  // The API uses only the path and query of the URL.
  const url = `http://localhost${BASE_PATH}/api/v1${path}`;
  return await runtime.handleWebRequest(new Request(url, { headers: forwarded }));
}
