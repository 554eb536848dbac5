interface LoginLocation {
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
}

/** Whether the address is that of the login page. The form also appears at other addresses if there is no session. */
export function isLoginPath({ pathname }: Pick<LoginLocation, "pathname">, basePath = ""): boolean {
  return pathname === `${basePath}/login`;
}

/**
 * Where to go after the login: the page at whose address the form appeared, the page that the login page was given, or
 * home. Never another site.
 *
 * @param basePath what the console is below
 */
export function sanitizeRedirect(location: LoginLocation, basePath = ""): string {
  const { origin, search } = location;
  const home = `${basePath}/`;
  if (!isLoginPath(location, basePath)) return origin + location.pathname + search;
  const next = new URLSearchParams(search).get("next") ?? home;
  if (!next.startsWith("/")) return home;
  try {
    const url = new URL(next, origin);
    // `//elsewhere` and `/\elsewhere` begin with a slash as well.
    return url.origin === origin && url.pathname.startsWith(home) ? url.href : home;
  } catch {
    return home;
  }
}
