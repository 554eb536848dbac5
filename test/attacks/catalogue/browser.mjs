/** @typedef {import("./index.mjs").Attack} Attack */

const BROWSER = "test/attacks/browser.integration.test.ts";
const PAGES = "e2e/security.spec.ts";

/** @type {Attack[]} */
export const CROSS_SITE = [
  {
    id: "csrf/forms-and-fetch",
    attack:
      "A request that changes something, with the session of a visitor: form, plain-text form, `fetch` without CORS, subdomain, sandbox with a null origin, other port, forged and repeated `Origin`",
    result: "401 or 403; nothing changes",
    file: BROWSER,
    test: "another site cannot act with a session: %s",
  },
  {
    id: "csrf/chromium",
    attack: "The same in Chromium from a page of another site, with form, `fetch` and frame",
    result: "Each request gets 401 or 403; the lock stays held; the page reads nothing",
    file: PAGES,
    test: "another site in the same browser cannot act, read or frame the console with the session",
  },
  {
    id: "csrf/login",
    attack: "Logging a browser in as the attacker",
    result: "403, no cookie",
    file: BROWSER,
    test: "another site cannot log a browser in as somebody else",
  },
  {
    id: "cross-site/read-and-streams",
    attack: "Reading responses or opening streams from another page",
    result: "403",
    file: BROWSER,
    test: "another site can link to the console, but neither read it nor embed a stream",
  },
  {
    id: "cross-site/cors",
    attack: "A CORS preflight",
    result: "405 without any CORS header",
    file: BROWSER,
    test: "no response carries a CORS header, not even to a preflight",
  },
  {
    id: "cross-site/page-headers",
    attack: "Framing, content sniffing, opener access and caching of pages",
    result: "Refused by headers on every page",
    file: PAGES,
    test: "every page forbids framing, sniffing, caching and opener access, and sends its content policy",
  },
  {
    id: "cross-site/open-redirect",
    attack: "A login that redirects to another site (`next=`)",
    result: "Redirects to the first page of the console",
    file: PAGES,
    test: "a login redirects only to a page of the console, and its token is in no request URL",
  },
  {
    id: "cross-site/get",
    attack: "Every `GET` of the OpenAPI document, with API key and session, also with an overridden method",
    result: "Nothing changes",
    file: BROWSER,
    test: "no GET of the OpenAPI document changes Redis, with a session or an API key",
  },
];
