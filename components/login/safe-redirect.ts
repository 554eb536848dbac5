interface LoginLocation {
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
}

/** Returns whether the URL is that of the login page. Without a session, other pages also show the login form. */
export function isLoginPath({ pathname }: Pick<LoginLocation, "pathname">, basePath = ""): boolean {
  return pathname === `${basePath}/login`;
}

/**
 * Returns the destination after the login: the page that showed the form, the `next` page of the login page, or the
 * home page. Never returns a different origin.
 *
 * @param basePath the console's path prefix
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
