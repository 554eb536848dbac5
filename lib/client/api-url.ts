import { ApiError } from "./api-error.ts";

/**
 * Returns the URL of a server without trailing slashes.
 *
 * @throws ApiError with the code `invalid` if the URL is not an HTTP or HTTPS URL, or has a user name, password, query
 * or fragment. The message never contains the URL, which may contain a password
 */
export function normalizeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw createUrlError("must start with http:// or https://");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw createUrlError("must not contain a user name, password, query or fragment");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function createUrlError(rule: string): ApiError {
  return new ApiError({ code: "invalid", detail: `The URL of the server ${rule}.` });
}
