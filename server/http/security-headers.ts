import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../config/config.ts";

/**
 * The HSTS header: two years, as the browsers' preload lists require. No `includeSubDomains`, because Lockkeeper does
 * not own the domain.
 */
const HSTS = `max-age=${2 * 365 * 24 * 60 * 60}`;

/** Browser features of a page: the console only writes to the clipboard. */
const PERMISSIONS_POLICY = [
  "accelerometer",
  "autoplay",
  "browsing-topics",
  "camera",
  "clipboard-read",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "geolocation",
  "gyroscope",
  "hid",
  "idle-detection",
  "local-fonts",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "picture-in-picture",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  // Older browsers do not support frame-ancestors.
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  // No other origin can keep a reference to this window or embed its resources.
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": PERMISSIONS_POLICY,
};

/** Sets the security headers of a page, and the nonce in the request header, from which Next adds it to its scripts. */
export function setSecurityHeaders(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { mode, publicUrl }: Pick<Config, "mode" | "publicUrl">,
): void {
  const nonce = randomBytes(16).toString("base64");
  const policy = buildContentSecurityPolicy(nonce, mode);
  incoming.headers["content-security-policy"] = policy;
  incoming.headers["x-nonce"] = nonce;
  outgoing.setHeader("content-security-policy", policy);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) outgoing.setHeader(name, value);
  // Browsers ignore it without TLS, and it would block plain HTTP on a host that also serves it.
  if (publicUrl?.startsWith("https:")) outgoing.setHeader("strict-transport-security", HSTS);
}

/**
 * Builds the content security policy. The policy has no reporting endpoint. `require-trusted-types-for` is omitted,
 * because it blocks Next's script loader, which assigns plain URLs.
 */
function buildContentSecurityPolicy(nonce: string, mode: Config["mode"]): string {
  const isDevelopment = mode === "development";
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    "script-src-attr 'none'",
    isDevelopment ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    "frame-src 'none'",
    "worker-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
