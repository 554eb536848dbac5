import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../config/config.ts";

/** Two years, as the lists of browsers ask for; the rest of the domain is not ours to speak for. */
const HSTS = `max-age=${2 * 365 * 24 * 60 * 60}`;

/** What a page may do in the browser: the console copies texts, and needs nothing else. */
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
  // Older browsers know nothing of frame-ancestors.
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  // No other page holds on to this one's window, or takes what it is made of.
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": PERMISSIONS_POLICY,
};

/** Headers that keep a page to itself. Next reads the nonce from the request's header and puts it on its own scripts. */
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
  // Said without TLS it is ignored, and on a name that is also used without it would shut that out.
  if (publicUrl?.startsWith("https:")) outgoing.setHeader("strict-transport-security", HSTS);
}

/**
 * Nothing is reported: what a policy stops is of no use to anybody outside. No `require-trusted-types-for`: what Next
 * loads its own scripts with assigns plain addresses, and was stopped by it.
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
