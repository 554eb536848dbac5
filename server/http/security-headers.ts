import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../config/config.ts";

/**
 * Value of the HSTS header. Two years is the recommended duration for the preload lists of browsers.
 * `includeSubDomains` is not set, because Lockkeeper is not responsible for the subdomains of its host.
 */
const HSTS = `max-age=${2 * 365 * 24 * 60 * 60}`;

/**
 * Browser features that pages may not use. Writing to the clipboard is the only such feature that the console needs.
 */
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
  // For older browsers, which do not support `frame-ancestors`.
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  // Prevents other origins from keeping a reference to the window and from embedding its resources.
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": PERMISSIONS_POLICY,
};

/**
 * Sets the security headers of a page. Also adds the content security policy to the request headers, because Next reads
 * the nonce for its scripts from that header.
 */
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
  // Set only if the console uses TLS. Browsers ignore HSTS over plain HTTP, and HSTS blocks all plain HTTP on the same
  // host.
  if (publicUrl?.startsWith("https:")) outgoing.setHeader("strict-transport-security", HSTS);
}

/**
 * Builds the content security policy of a page. `require-trusted-types-for` is omitted, because it would block Next's
 * script loader, which assigns plain strings as URLs. There is no reporting endpoint.
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
