import type { Mutant } from "./mutant.ts";

/** Takes the whole script for every acquire. */
export const SHORT_WAY_OFF = {
  file: "server/formats/fast-path/acquire.lua",
  find: " and is_free() then",
  instead: " and false then",
};

/** As the ten, and found later: of a full memory, of clocks that are set back, and of the API. */
export const MORE_MUTANTS: readonly Mutant[] = [
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
    noticedBy: ["C8"],
  },
  {
    name: "waited-to-the-answer",
    wrong: "the API counts the time that Redis took to answer as waited, so deadlines come too late",
    edits: [
      {
        file: "server/api/routes/verbs.ts",
        find: "const waitedMs = clock?.waitedMs;",
        instead: "const waitedMs = (clock?.onSend(), clock?.waitedMs);",
      },
    ],
    run: { faults: ["disturb-api"], leaseMs: 500 },
    noticedBy: ["C1", "C4"],
  },
];
