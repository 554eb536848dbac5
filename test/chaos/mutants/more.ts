import type { Mutant } from "./mutant.ts";

/** An edit that disables the fast path, so that every acquire runs the complete script. */
export const SHORT_WAY_OFF = {
  file: "server/formats/fast-path/acquire.lua",
  find: " and is_free() then",
  instead: " and false then",
};

/**
 * Further mutants, with faults in the handling of full memory, of clocks that are set back, in the API and in the
 * identity of holds.
 */
export const MORE_MUTANTS: readonly Mutant[] = [
  {
    name: "batch-replies-swapped",
    wrong: "two verbs of one batch get each other's reply",
    edits: [
      {
        file: "server/formats/verb-batches.ts",
        find: "settle(batch[index], reply);",
        instead: "settle(batch[replies.length - 1 - index] ?? batch[index], reply);",
      },
      // A worker of the library has too few active verbs for a batch.
      {
        file: "server/formats/verb-batches.ts",
        find: "if (!this.prefersBatches)",
        instead: "if (false)",
      },
    ],
    // With this many contexts, several verbs on different locks are issued in one turn of the event loop.
    run: { faults: [], contexts: 32, locks: 12 },
    noticedBy: ["C1", "C4", "C5", "C7", "C8"],
  },
  {
    name: "fence-from-clock",
    wrong: "a fence is the time of the server, also when its clock was set back",
    edits: [
      SHORT_WAY_OFF,
      {
        file: "server/formats/companion.lua",
        find: "math.max(now_us, parse_whole(kept.fence) + 1)",
        instead: "now_us",
      },
    ],
    run: { faults: ["server-clock-step"] },
    noticedBy: ["C2"],
  },
  {
    name: "full-keeps-counts",
    wrong: "a server whose memory is full takes back no count of several",
    edits: [
      {
        file: "server/formats/release.lua",
        find: "redis.call('PEXPIRE', KEYS[2], format_integer(left_ms))",
        instead: "",
      },
    ],
    run: { faults: ["full-memory"] },
    noticedBy: ["C5"],
  },
  {
    name: "request-id-ignored",
    wrong: "the API does not pass on the Idempotency-Key, so what is asked again is done again",
    edits: [
      {
        file: "server/api/dispatcher.ts",
        find: "route.idempotent !== undefined ? readIdempotencyKey(request) : undefined",
        instead: "undefined",
      },
    ],
    run: { faults: ["drop-replies", "restart-api"] },
    // Without the key, a repeated re-entry increases the count twice, and a repeated release is answered with
    // `not_held`.
    noticedBy: ["C5", "C8"],
  },
  {
    name: "waited-to-the-answer",
    wrong: "the API counts the time that Redis took to answer as waited, so deadlines come too late",
    edits: [
      {
        file: "server/api/routes/acquire/respond-with-grant.ts",
        find: "const waitedMs = wait?.waitedMs;",
        instead: "const waitedMs = (wait?.onSend(), wait?.waitedMs);",
      },
    ],
    // Without the latency, a reply often takes less than a millisecond, and deadlines are hardly late.
    run: { faults: ["disturb-api"], leaseMs: 500, latencyMs: 30 },
    noticedBy: ["C1", "C4"],
  },
  {
    name: "owner-for-token",
    wrong: "the library releases whatever hold has its owner label",
    edits: [
      {
        file: "server/locks/client/hold-leases.ts",
        find: "verbs.release(lease.toRef(), request)",
        instead: "verbs.release({ ...lease.toRef(), token: lease.owner }, request)",
      },
      {
        file: "server/formats/release.lua",
        find: "local count = find_count(1, kept, token, now_ms)",
        instead:
          "if kept.owner == token then token, ARGV[2] = kept.token, kept.fence end\nlocal count = find_count(1, kept, token, now_ms)",
      },
    ],
    run: { faults: ["stop-worker", "block-worker"] },
    noticedBy: ["C1", "C4", "C8"],
  },
  {
    name: "repeated-grant-new-token",
    wrong: "a repeated acquire returns the token of its last try, which no hold has",
    edits: [
      {
        file: "server/formats/acquire.lua",
        find: "    kept.token, how, ''",
        instead: "    token, how, ''",
      },
    ],
    run: { faults: ["drop-replies", "restart-api"] },
    noticedBy: ["C7", "C8"],
  },
  {
    name: "http-validity-from-reply",
    wrong: "the HTTP client counts a deadline from the answer, not from before the request",
    edits: [
      {
        file: "lib/client/api-attempt.ts",
        find: "return readResponse(response, text, url, sentAt);",
        instead: "return readResponse(response, text, url, getCurrentMoment());",
      },
    ],
    run: { faults: ["stop-worker", "stop-api"], seconds: 30 },
    noticedBy: ["C1", "C4"],
  },
];
