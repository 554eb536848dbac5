/** @typedef {import("./index.mjs").Attack} Attack */

const WIRE = "test/attacks/wire.integration.test.ts";
const LIMITS = "server/http/http-limits.integration.test.ts";

/** @type {Attack[]} */
export const ON_THE_WIRE = [
  {
    id: "path/api",
    attack:
      "Request targets with dot segments, double encoding, absolute form, other hosts, slashes, parameters, fragments and zero bytes",
    result: "400 or 404; no lock is reached; nothing changes",
    file: WIRE,
    test: "a request target %s reaches no lock and causes no 5xx",
  },
  {
    id: "path/pages",
    attack: "The same, and paths that the pages normalize, on the production build with its pages",
    result: "400 if two parsers can read the path differently; no lock is reached; nothing changes",
    file: "e2e/request-targets.spec.ts",
    test: "a request target %s reaches no lock of a server with pages",
  },
  {
    id: "header/line-break-in-key",
    attack: "Line breaks in a key, to inject a response header",
    result: "They are part of the key; no header",
    file: WIRE,
    test: "encoded line breaks in a key stay part of the key and create no header",
  },
  {
    id: "header/smuggling",
    attack: "A second request inside the first one, in seven ways",
    result: "400, and the connection is closed",
    file: WIRE,
    test: "headers that smuggle a second request are rejected, and the connection is closed",
  },
  {
    id: "header/host",
    attack: "A forged `Host` header",
    result: "No response contains it",
    file: WIRE,
    test: "a forged Host header changes no response and is not echoed",
  },
  {
    id: "header/forwarded",
    attack: "Headers that a proxy sets, sent by a client",
    result: "Ignored",
    file: WIRE,
    test: "forged proxy headers make a caller neither local nor authenticated",
  },
  {
    id: "header/forwarded-rate-limit",
    attack: "A new forwarded address with each guess, also at `/metrics`",
    result: "All count for one address, then 429",
    file: "server/http/behind-proxy.integration.test.ts",
    test: "forwarded headers are ignored when no proxy is trusted",
  },
  {
    id: "size/request",
    attack: "Oversized bodies with and without a length, headers, URLs and chunk extensions",
    result: "413, 414 or 431, or the connection is closed",
    file: WIRE,
    test: "oversized bodies and too many headers are rejected before they are read",
  },
  {
    id: "slow/headers",
    attack: "Headers sent slowly (slowloris)",
    result: "408 within the time limit, and the connection is closed",
    file: LIMITS,
    test: "slow headers and idle connections are closed with 408",
  },
  {
    id: "slow/body",
    attack: "A body sent slowly",
    result: "408; no lock is acquired",
    file: LIMITS,
    test: "a slow body is closed with 408 and acquires no lock",
  },
  {
    id: "slow/response",
    attack: "A response that the client does not read",
    result: "The client is disconnected",
    file: LIMITS,
    test: "a client that does not read its response is disconnected",
  },
  {
    id: "stream/all-taken",
    attack: "Opening as many streams as the limit permits",
    result: "The next gets 429 with `Retry-After`; other requests work; a closed stream makes room",
    file: WIRE,
    test: "a stream beyond the limit gets 429 with Retry-After, and a closed stream makes room",
  },
  {
    id: "stream/view-changes",
    attack: "A tab that changes its view repeatedly and reads nothing",
    result: "It receives the last view once; nothing accumulates",
    file: "server/api/live/tab.test.ts",
    test: "a view changed while the tab does not read is sent once, with the last change only",
  },
];
