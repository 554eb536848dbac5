/** Where to go after the login: a place on this very site, or home. */
export function safeNext({ origin, search }: { origin: string; search: string }): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  if (!next.startsWith("/")) return "/";
  try {
    const url = new URL(next, origin);
    // `//elsewhere` and `/\elsewhere` begin with a slash as well.
    return url.origin === origin ? url.href : "/";
  } catch {
    return "/";
  }
}
