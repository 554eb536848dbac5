/** @typedef {import("./index.mjs").Attack} Attack */

const CONTENT = "test/attacks/content.integration.test.ts";
const PAGES = "e2e/security.spec.ts";

/** @type {Attack[]} */
export const HOSTILE_TEXT = [
  {
    id: "text/pages",
    attack: "Markup and scripts in keys, owners, records, reasons, notes and URLs, on every page",
    result: "Rendered as text; no script, no dialog, no violation of the content policy",
    file: PAGES,
    test: "hostile text in Redis, requests and URLs is rendered as text on every page",
  },
  {
    id: "text/html",
    attack: "The same in the HTML that the server sends",
    result: "Never sent as markup",
    file: PAGES,
    test: "hostile text in a URL never reaches the HTML as markup",
  },
  {
    id: "text/audit-export",
    attack: "The same in exports of the audit log",
    result: "Downloaded, never displayed",
    file: PAGES,
    test: "an audit export is always downloaded and never displayed",
  },
  {
    id: "text/csv-audit",
    attack: "Formulas in an export of the audit log",
    result: "Text in every cell",
    file: "lib/csv/csv.test.ts",
    test: "no CSV cell can be executed, left or mistaken for another one",
  },
  {
    id: "text/csv-locks",
    attack: "Formulas and line breaks in an export of locks",
    result: "Text in every cell, one line per lock",
    file: "server/api/routes/export.integration.test.ts",
    test: "a CSV export has no executable cell and no broken line, and marks binary keys",
  },
  {
    id: "prototype/names",
    attack: "`__proto__`, `constructor` and similar names as keys, owners, targets and filters",
    result: "Treated as any other text",
    file: CONTENT,
    test: "names such as __proto__ work as keys, owners, targets and filters and change no object",
  },
  {
    id: "prototype/bodies",
    attack: "The same names as fields of bodies, and bodies nested 9,000 levels deep",
    result: "400; no object changes",
    file: CONTENT,
    test: "fields such as __proto__ in a body are rejected at any depth",
  },
  {
    id: "matching/patterns",
    attack: "Filters, globs and patterns that make matching slow",
    result: "The time is a small multiple of comparing every pair of characters",
    file: "test/attacks/hang.test.ts",
    test: "at the request limits, matching costs a small multiple of comparing every pair of characters",
  },
  {
    id: "matching/latency",
    attack: "The same filters over 5,000 locks with names of 900 bytes",
    result: "The p99 of acquires and releases stays below 20 times the quiet p99, or 100 ms if that is more",
    file: "test/attacks/latency.integration.test.ts",
    test: "hostile filters over 5,000 long keys do not delay acquires and releases",
  },
  {
    id: "secrets/pages",
    attack: "Secrets in pages, scripts and responses that the console loads",
    result: "None",
    file: PAGES,
    test: "no page and no script contains a secret",
  },
  {
    id: "log/injection",
    attack:
      "Line breaks, terminal escapes and direction marks in the log; secrets in the log and in responses",
    result: "One line per message, no control characters, no secret",
    file: CONTENT,
    test: "the log has one line per message, no control characters and no secret",
  },
  {
    id: "log/redis-passwords",
    attack: "Redis passwords in errors and nested errors",
    result: "Not logged",
    file: "server/log.test.ts",
    test: "a logged error, and any error nested in it, contains no Redis command and so no password",
  },
];
