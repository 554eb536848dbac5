import type { Mutant } from "./mutant.ts";

/** Mutants of fair locks, read/write locks, semaphores and latches. */
export const MUTANTS_OF_KINDS: readonly Mutant[] = [
  {
    name: "fair-queue-ignored",
    wrong: "a free fair lock is granted to whoever asks, whoever waits",
    edits: [
      {
        file: "server/formats/acquire.lua",
        find: "if state == 'free' then gives_way_ms = kept_ms end",
        instead: "if false then gives_way_ms = kept_ms end",
      },
    ],
    run: { kinds: ["fair"], faults: ["kill-worker", "stop-worker"] },
    noticedBy: ["C6"],
  },
  {
    name: "writer-ignores-reader",
    wrong: "a writer is granted the lock while one reader has it",
    edits: [
      {
        file: "server/formats/redisson/write/storage.lua",
        find: "return seen.state, seen.remaining_ms, seen.holders, count\nend\n\nlocal begin_hold_of",
        instead:
          "if seen.mode == 'read' and #seen.holders == 2 then return 'free', 0, {} end\n  return seen.state, seen.remaining_ms, seen.holders, count\nend\n\nlocal begin_hold_of",
      },
    ],
    run: { kinds: ["read-write"], faults: [] },
    noticedBy: ["C1"],
  },
  {
    name: "reader-own-fence",
    wrong: "a reader gets a fence of its own, not that of the last writer",
    edits: [
      {
        file: "server/formats/redisson/read/storage.lua",
        find: "  begin_exclusive_hold(kept, token, value, lease_ms, now_us)\n  kept.fence = of_lock.fence",
        instead: "  begin_exclusive_hold(kept, token, value, lease_ms, now_us)",
      },
    ],
    run: { kinds: ["read-write"], faults: [] },
    noticedBy: ["C2"],
  },
  {
    name: "permit-too-many",
    wrong: "a semaphore grants one permit more than it has",
    edits: [
      {
        file: "server/formats/redisson/semaphore/acquire.lua",
        find: "if available >= permits and not gives_way_ms then",
        instead: "if available + 1 >= permits and not gives_way_ms then",
      },
    ],
    run: { kinds: ["semaphore"], faults: [] },
    noticedBy: ["C1"],
  },
  {
    name: "permits-reclaimed-early",
    wrong: "a semaphore takes back permits half a second before their lease ends",
    edits: [
      {
        file: "server/formats/redisson/semaphore/permits.lua",
        find: "local expired = redis.call('ZCOUNT', KEYS[3], '-inf', format_integer(now_ms))",
        instead: "local expired = redis.call('ZCOUNT', KEYS[3], '-inf', format_integer(now_ms + 500))",
      },
    ],
    run: { kinds: ["semaphore"], faults: ["stop-worker"] },
    noticedBy: ["C1"],
  },
  {
    name: "semaphore-queue-ignored",
    wrong: "between two turns, a client that tries first overtakes those that have waited for longer",
    edits: [
      {
        file: "server/formats/redisson/semaphore/acquire.lua",
        find: "if not claimed_by then claimed_by, claimed_since_ms = give_claim(",
        instead: "if false then claimed_by, claimed_since_ms = give_claim(",
      },
    ],
    run: { kinds: ["semaphore"], locks: 1, faults: [] },
    noticedBy: ["C6"],
  },
  {
    name: "plain-permits-lost",
    wrong: "the permits of a holder that died are removed, but not added to the number of a plain semaphore",
    edits: [
      {
        file: "server/formats/redisson/semaphore/permits.lua",
        find: "redis.call('INCRBY', KEYS[1], reclaimed)",
        instead: "redis.call('INCRBY', KEYS[1], 0)",
      },
    ],
    run: { kinds: ["plain-semaphore"], faults: ["kill-worker", "stop-worker"] },
    noticedBy: ["C5"],
  },
  {
    name: "latch-wakes-early",
    wrong: "a waiter of a latch wakes at a count of one",
    edits: [
      {
        file: "server/locks/verbs/latches.ts",
        find: "if (now.count > 0 && !wasOpened)",
        instead: "if (now.count > 1 && !wasOpened)",
      },
    ],
    run: { kinds: ["latch"], faults: [] },
    noticedBy: ["C9"],
  },
  {
    name: "latch-opens-silently",
    wrong: "the count-down that opens a latch wakes nobody",
    edits: [
      {
        file: "server/formats/redisson/latch/count-down.lua",
        find: "publish_latch(ARGV[2], '0', ARGV[3] == '1')\n",
        instead: "",
      },
    ],
    run: { kinds: ["latch"], faults: [] },
    noticedBy: ["C9"],
  },
];
