/**
 * Where to go after the login: a place of this very console, or home.
 *
 * @param basePath what the console is below
 */
export function sanitizeRedirect(
  { origin, search }: { origin: string; search: string },
  basePath = "",
): string {
  const home = `${basePath}/`;
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
