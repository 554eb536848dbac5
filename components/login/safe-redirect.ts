interface LoginLocation {
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
}

/** Returns whether the URL is that of the login page. Other pages also show the login form if there is no session. */
export function isLoginPath({ pathname }: Pick<LoginLocation, "pathname">, basePath = ""): boolean {
  return pathname === `${basePath}/login`;
}

/**
 * Returns the URL to open after the login. On the login page, returns the URL of the `next` page, or of the home page
 * if `next` is missing or not allowed. On any other page, returns the current URL without the fragment. The origin
 * never changes.
 *
 * @param basePath path prefix of the console
 */
export function sanitizeRedirect(location: LoginLocation, basePath = ""): string {
  const { origin, search } = location;
  const home = `${basePath}/`;
  if (!isLoginPath(location, basePath)) return origin + location.pathname + search;
  const next = new URLSearchParams(search).get("next") ?? home;
  if (!next.startsWith("/")) return home;
  try {
    const url = new URL(next, origin);
    // `//host` and `/\host` also start with a slash, but are URLs of a different origin.
    return url.origin === origin && url.pathname.startsWith(home) ? url.href : home;
  } catch {
    return home;
  }
}
