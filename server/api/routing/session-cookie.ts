/** The address at which the browser reaches the console. Determines the name of the session cookie. */
export interface CookieScope {
  /** `LOCKKEEPER_PUBLIC_URL`, if it is set. */
  readonly publicUrl: string | undefined;
  /** The `Host` header of the request. */
  readonly host: string | undefined;
  /** Whether the browser uses TLS. */
  readonly isTls: boolean;
  /** The path below which the console is served, or "" at the root of the host. */
  readonly basePath: string;
}

const PORT = /:(\d{1,5})$/;

/**
 * Builds the name of the session cookie: `lockkeeper_`, followed by the port and base path that the browser uses. With
 * TLS, the name starts with `__Host-` or `__Secure-`. The name does not depend on the port on which the instance
 * listens, so all instances behind a proxy read the same cookie.
 *
 * Browsers share cookies between all ports of a host. The port and base path in the name prevent two consoles on one
 * host from overwriting each other's cookies.
 *
 * Without a public URL, the port comes from the `Host` header. A proxy that rewrites `Host` cannot cause a wrong cookie
 * name, because logins are refused if `Origin` does not match `Host`.
 */
export function buildSessionCookieName({ publicUrl, host, isTls, basePath }: CookieScope): string {
  const port = publicUrl === undefined ? PORT.exec(host ?? "")?.[1] : new URL(publicUrl).port;
  const path = basePath.replaceAll("/", ".");
  return `${choosePrefix(isTls, basePath)}lockkeeper_${port || (isTls ? "443" : "80")}${path}`;
}

/**
 * Returns the strictest prefix that browsers accept. They accept a `__Host-` cookie only over TLS and for the path `/`,
 * and a `__Secure-` cookie only over TLS.
 */
function choosePrefix(isTls: boolean, basePath: string): string {
  if (!isTls) return "";
  return basePath === "" ? "__Host-" : "__Secure-";
}
