import type { Mutant } from "./mutant.ts";

/** Mutants of the conditions of a lock. */
export const MUTANTS_OF_CONDITIONS: readonly Mutant[] = [
  {
    name: "count-not-restored",
    wrong: "a hold that is resumed after a wait for a condition has a count of one",
    edits: [
      {
        file: "server/formats/acquire.lua",
        find: "    if given_up.count > 1 then increment_count(1, token, format_integer(given_up.count - 1)) end\n    count, kept.count = given_up.count, given_up.count\n",
        instead: "",
      },
    ],
    run: { kinds: ["condition"], faults: [] },
    noticedBy: ["C8"],
  },
  {
    name: "signal-wakes-latest",
    wrong: "a signal wakes the client that began to wait last",
    edits: [
      {
        file: "server/formats/conditions/waiters.lua",
        find: "redis.call('ZRANGEBYLEX', KEYS[o], '[' .. name .. '\\t', '(' .. name .. '\\t' .. bound .. '\\n', 'LIMIT', 0, 1)[1]",
        instead:
          "redis.call('ZREVRANGEBYLEX', KEYS[o], '(' .. name .. '\\t' .. bound .. '\\n', '[' .. name .. '\\t', 'LIMIT', 0, 1)[1]",
      },
    ],
    run: { kinds: ["condition"], locks: 1, faults: [] },
    noticedBy: ["C10"],
  },
  {
    name: "signal-lost-with-timeout",
    wrong: "a client whose time to wait is over loses the signal that it has just received",
    edits: [
      {
        file: "server/formats/conditions/leave.lua",
        find: "if waiter.state == 'waiting' then end_wait(",
        instead: "if true then end_wait(",
      },
    ],
    // A process that is resumed after a stop detects that its wait has ended before it reads the message.
    run: { kinds: ["condition"], locks: 1, faults: ["stop-worker", "block-worker"] },
    noticedBy: ["C10"],
  },
  {
    name: "signal-lost-with-death",
    wrong: "a signal is lost with the client that died before it held the lock again",
    edits: [
      {
        file: "server/formats/conditions/waiters.lua",
        find: "for _, waiter in ipairs(unused) do pass_signal(o, w, waiter, now_ms, woken) end",
        instead: "",
      },
    ],
    // With few signals, no later signal wakes the next waiter before the violation is detected.
    run: { kinds: ["condition"], contexts: 2, faults: ["kill-worker"], seconds: 60 },
    noticedBy: ["C10"],
  },
];
