/** @typedef {import("./index.mjs").Attack} Attack */

const BROWSER = "test/attacks/browser.integration.test.ts";
const ACCOUNTS = "server/auth/accounts.integration.test.ts";
const SESSION = "server/api/routes/session.integration.test.ts";
const AUTHORIZATION = "server/api/routing/authorization.integration.test.ts";

/** @type {Attack[]} */
export const LOGINS = [
  {
    id: "session/fixation",
    attack: "Session fixation",
    result: "A login creates a new session; the planted cookie gets 401",
    file: BROWSER,
    test: "a login replaces a session cookie that was planted before",
  },
  {
    id: "session/cookie",
    attack: "Setting or reading the session cookie from a subdomain, from a script, over plain HTTP",
    result: "Not accepted, not readable, not set",
    file: BROWSER,
    test: "a session cookie is out of reach of scripts and other sites, and bound to its host",
  },
  {
    id: "session/stored-secrets",
    attack: "Reading sessions and login links from Redis",
    result: "Redis stores SHA-256 hashes only",
    file: BROWSER,
    test: "login links and sessions have 256 bits, and Redis stores their hashes only",
  },
  {
    id: "login-link/reuse",
    attack: "Using a one-time link twice",
    result: "401",
    file: SESSION,
    test: "a login link works once, and a used or unknown one is refused with what to do",
  },
  {
    id: "login-link/race",
    attack: "One link used by many clients at once",
    result: "One of them is logged in",
    file: SESSION,
    test: "a login link used by many at once admits one of them",
  },
  {
    id: "password/one-name",
    attack: "Guessing the password of one operator",
    result: "Increasing delays",
    file: ACCOUNTS,
    test: "wait times double per failed login, up to a minute per address, and refused attempts do not count",
  },
  {
    id: "password/lock-out",
    attack: "Guessing the password of one operator from everywhere, to lock the operator out",
    result: "The operator can log in from a known address",
    file: ACCOUNTS,
    test: "failed logins from everywhere do not lock the owner out of a known address",
  },
  {
    id: "password/many-names",
    attack: "Guessing passwords of many operators from one network",
    result: "Increasing delays",
    file: ACCOUNTS,
    test: "failed logins for many names from one network are throttled, even between successful ones",
  },
  {
    id: "api-key/guessing",
    attack: "Guessing API keys",
    result: "401, then 429 for the address",
    file: "server/api/limits.integration.test.ts",
    test: "requests without valid credentials turn from 401 to 429 per address, while valid keys pass",
  },
  {
    id: "rate-limit/eviction",
    attack: "Sending requests from so many addresses that the limiter evicts the attacker's own",
    result: "The address stays limited",
    file: "server/api/http/rate-limits.test.ts",
    test: "an address over its limit stays limited while many others send their first request",
  },
  {
    id: "api-key/revoked",
    attack: "Using a revoked API key",
    result: "Rejected on every instance within 2 s",
    file: "server/api/routes/keys.integration.test.ts",
    test: "a revoked API key is rejected on every instance within 2 s with the reason",
  },
];

/** @type {Attack[]} */
export const ACCESS = [
  {
    id: "access/every-route",
    attack: "Every route as every role at every kind of target",
    result: "The access in the route table, and no more",
    file: AUTHORIZATION,
    test: "each principal gets exactly the access in the route table at the target %s",
  },
  {
    id: "access/undeclared-route",
    attack: "A route without declared access",
    result: "The test fails",
    file: "server/api/routing/authorization.test.ts",
    test: "every route is in the access table as it is declared",
  },
  {
    id: "access/other-target",
    attack: "Reaching a target without access to it",
    result: "`forbidden`, whether or not the target exists",
    file: AUTHORIZATION,
    test: "a target closed to a user is not listed, and its existence is not revealed",
  },
  {
    id: "access/shared-token",
    attack: "Learning names of keys outside one's patterns from a token that they share with one's own key",
    result: "Not returned",
    file: "server/api/key-range.integration.test.ts",
    test: "a limited API key sees only its own keys among those that share a token",
  },
  {
    id: "access/other-owner",
    attack: "Releasing a lock of another application by its owner string",
    result: "Refused",
    file: AUTHORIZATION,
    test: "only the API key that acquired a hold can read, renew, release or re-enter it",
  },
  {
    id: "access/release-request",
    attack:
      "Answering the release request of another application's hold, or requesting a release without `force`",
    result: "Refused; the request stays as it was",
    file: "server/api/routes/holds/release-requests.integration.test.ts",
    test: "only the API key that acquired a hold can answer, and only a caller with force can request",
  },
  {
    id: "delegation/api-key",
    attack: "Creating an API key with more access than its creator has",
    result: "Refused",
    file: "server/auth/delegation.test.ts",
    test: "a new API key never has a permission that its creator lacks",
  },
  {
    id: "delegation/operator",
    attack: "Creating an operator with more access than its creator has",
    result: "Refused",
    file: "server/auth/delegation.test.ts",
    test: "a new operator never has a permission that its creator lacks",
  },
];
