/** The parts of the console's URL that determine the name of the session cookie. */
export interface CookieScope {
  /** `LOCKKEEPER_PUBLIC_URL`, if it is set. */
  readonly publicUrl: string | undefined;
  /** The `Host` header of the request. */
  readonly host: string | undefined;
  /** Whether the browser uses TLS. */
  readonly isTls: boolean;
  /** The path below which the console is served; empty at the root of the host. */
  readonly basePath: string;
}

const PORT = /:(\d{1,5})$/;

/**
 * Builds the name of the session cookie from the address that the browser uses: `lockkeeper_`, the port, and the base
 * path. Every instance behind a proxy therefore reads the same cookie, whatever port it listens on.
 *
 * Browsers share cookies between the ports of a host. Two consoles on one host have different ports or base paths, so
 * they do not overwrite each other's cookies.
 *
 * Without a public URL, the port is taken from `Host`. A login through a proxy that replaces `Host` is refused
 * anyway, since `Origin` has to match it.
 */
export function buildSessionCookieName({ publicUrl, host, isTls, basePath }: CookieScope): string {
  const port = publicUrl === undefined ? PORT.exec(host ?? "")?.[1] : new URL(publicUrl).port;
  const path = basePath.replaceAll("/", ".");
  return `${choosePrefix(isTls, basePath)}lockkeeper_${port || (isTls ? "443" : "80")}${path}`;
}

/**
 * A browser accepts a `__Host-` cookie only over TLS, from its own host and for the whole host. A `__Secure-` cookie
 * requires TLS.
 */
function choosePrefix(isTls: boolean, basePath: string): string {
  if (!isTls) return "";
  return basePath === "" ? "__Host-" : "__Secure-";
}
