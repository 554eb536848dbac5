/** @typedef {import("./index.mjs").Attack} Attack */

const LARGE_KEYS = "server/watch/large-keys.integration.test.ts";
const MESSAGES = "server/watch/hostile-messages.integration.test.ts";
const STREAMS = "server/api/event-stream/event-stream.integration.test.ts";
const EMBEDDED = "server/redis/embedded/embedded-access.integration.test.ts";
const UNUSUAL = "test/attacks/unusual-data.integration.test.ts";

/** @type {Attack[]} */
export const WATCHED_DATA = [
  {
    id: "data/every-request",
    attack:
      "Every request of the API, in each writable format, on keys with large, garbled or wrongly typed data",
    result: "No 5xx; the data is not returned; other holds and the target are not affected",
    file: UNUSUAL,
    test: "no request of the API fails or returns the data when a key has %s",
  },
  {
    id: "data/large-hash",
    attack: "A hash of 160 MB under a watched name that changes all the time",
    result: "Not read; the target stays `live`",
    file: LARGE_KEYS,
    test: "a hash of 160 MB that changes all the time is not read, and the target stays live",
  },
  {
    id: "data/slow-reply",
    attack: "A key whose reply does not arrive",
    result:
      "Read on a separate connection, with increasing delays; listed as unreadable until it can be read",
    file: LARGE_KEYS,
    test: "a key is read apart and becomes unreadable, the target stays live, and the key is shown when its reply arrives",
  },
  {
    id: "data/home-store-as-lock",
    attack: "A format rule that names keys of the home store, to read them as locks",
    result: "They are not locks through any route",
    file: "server/api/routes/raw.integration.test.ts",
    test: "a key of the home store is not a lock through any route, whatever format rules name",
  },
  {
    id: "data/companion-window",
    attack: "A companion of 200 KB that makes a script take quadratic time",
    result: "It counts as missing",
    file: "server/formats/bounds.integration.test.ts",
    test: "a companion of 200 KB that was made to hang Redis counts as missing",
  },
  {
    id: "data/companion-garbage",
    attack: "Random data as companion, counter or set of waiters",
    result: "No script fails; no held lock is granted",
    file: "server/formats/garbage.integration.test.ts",
    test: "no companion, counter or set of waiters makes a script fail, nor grants a lock that is held",
  },
  {
    id: "data/release-request",
    attack: "A forged release request in a companion, of another type or with long texts",
    result: "It counts as missing",
    file: "server/formats/release-request.test.ts",
    test: "a forged request with %s counts as missing",
  },
  {
    id: "formats/other-principal",
    attack: "Ending or acquiring the hold of another API key by requests in another format",
    result: "Refused; lock and companion stay the same",
    file: "server/api/mixed-formats.integration.test.ts",
    test: "a hold in %s of another API key is neither ended nor acquired by requests in %s",
  },
  {
    id: "formats/double-grant",
    attack: "Acquiring in `timestamp` a lock whose token reads as a time in the past",
    result: "Not granted while its lease runs",
    file: "server/api/mixed-formats.integration.test.ts",
    test: "an acquire in timestamp is not granted while the lease of a token in the form of a past time runs",
  },
  {
    id: "formats/reserve-again",
    attack: "Acquiring a lock at the moment when its reservation is renewed",
    result: "No client can acquire it",
    file: "test/conformance/reserve-again.integration.test.ts",
    test: "the same operator extends, shortens and ends it, and no client can acquire it in between",
  },
  {
    id: "names/400-kb",
    attack: "Key names of 400 KB",
    result: "Left out and counted in the target's health",
    file: MESSAGES,
    test: "keys with names of 400 KB are left out, and health counts them until they are gone",
  },
  {
    id: "names/come-and-go",
    attack: "300 keys with names of 200 KB that come and go",
    result: "No event and no memory remains",
    file: MESSAGES,
    test: "300 keys with names of 200 KB that come and go leave no event and no memory behind",
  },
  {
    id: "events/forged-deletions",
    attack:
      "Forged notifications that keep the version of a lock changed, so that no operator can release it",
    result: "The lock becomes unverified and can be released",
    file: MESSAGES,
    test: "forged deletions of a foreign lock cannot keep its version changed: it becomes unverified",
  },
  {
    id: "events/flood",
    attack: "300 MB of messages",
    result: "The watcher recovers with every lock and keeps no memory",
    file: MESSAGES,
    test: "after 300 MB of messages the watcher is live, has every lock and keeps no memory",
  },
  {
    id: "history/search",
    attack: "Text searches over 20,000 events",
    result: "The event loop is never blocked for long",
    file: "server/history/history-listing.test.ts",
    test: "a text search over 20,000 events never blocks the event loop for long",
  },
  {
    id: "matching/long-text",
    attack: "Texts of 400 KB for everything that reads text from Redis",
    result: "Linear time",
    file: "test/attacks/hang.test.ts",
    test: "%s takes linear time for texts of 400 KB",
  },
  {
    id: "cpu/new-filters",
    attack: "A stream of new filters from one API key on four connections",
    result: "Verbs of others are delayed by a small multiple; then 429 `rate_limited`",
    file: "server/api/read-cpu.integration.test.ts",
    test: "new filters of one caller delay the verbs of another by a small multiple only, and are limited",
  },
  {
    id: "stream/idle-snapshots",
    attack: "20 readers of a snapshot of 20,000 locks that read nothing",
    result: "Little memory; other requests are served",
    file: STREAMS,
    test: "20 readers that take nothing hold little memory, and other requests are served meanwhile",
  },
  {
    id: "stream/polls",
    attack: "Polling streams beyond the limit of streams",
    result: "429",
    file: "server/api/live/live-poll.integration.test.ts",
    test: "polls count as streams, so a caller over its limit is refused",
  },
  {
    id: "embedded/no-password",
    attack: "Commands of another local account at the embedded Redis",
    result: "NOAUTH",
    file: EMBEDDED,
    test: "a local client without a password is refused with NOAUTH by every command",
  },
  {
    id: "embedded/forge-session",
    attack: "Forging a session with the applications' credential",
    result: "No access to keys of Lockkeeper",
    file: EMBEDDED,
    test: "an application cannot read or write a key of Lockkeeper, nor forge a session",
  },
  {
    id: "embedded/files",
    attack: "Reading files, arguments or the environment of the embedded Redis from another account",
    result: "Not readable, or without a secret",
    file: EMBEDDED,
    test: "no other account can read the files of the embedded Redis",
  },
  {
    id: "audit/rule-change",
    attack: "Hiding a change to format rules behind long old rules",
    result: "The audit has every new rule",
    file: "server/api/routes/audit.integration.test.ts",
    test: "a rule change is audited with every new rule, however many and long the old ones are",
  },
  {
    id: "embedded/secrets-in-ps",
    attack: "Reading the passwords of the embedded Redis from `ps` or its environment",
    result: "They contain no secret",
    file: EMBEDDED,
    test: "the arguments and the environment of the server contain no secret",
  },
  {
    id: "embedded/administer",
    attack: "Administering or emptying the embedded Redis with the applications' credential",
    result: "Refused",
    file: EMBEDDED,
    test: "an application cannot administer, inspect or empty the server",
  },
  {
    id: "embedded/port-taken",
    attack:
      "Listening on the port of the embedded Redis while it is down, to receive the password at the next start",
    result: "It receives none",
    file: "server/redis/embedded/embedded-redis.integration.test.ts",
    test: "a process that listens on the port of a killed server is not sent the password",
  },
  {
    id: "embedded/log",
    attack: "An admin link or API key in the log of a server without a terminal",
    result: "Not printed",
    file: "server/embedded-redis.integration.test.ts",
    test: "without a terminal, no secret is printed: a file has the API key, and a command signs in",
  },
  {
    id: "login/local-proxy",
    attack: "Signing in over plain HTTP through a local proxy that is not trusted",
    result: "403, no cookie, and the link stays valid",
    file: "server/auth/login-link.integration.test.ts",
    test: "a local proxy that is not trusted gets no session cookie over plain HTTP, and the link is not used up",
  },
  {
    id: "audit/cut",
    attack: "Passing off an audit whose beginning or end was removed as complete",
    result: "`audit:verify` states what it cannot check",
    file: "server/api/routes/audit.integration.test.ts",
    test: "audit:verify claims nothing of a beginning or an end that may have been cut off",
  },
];
