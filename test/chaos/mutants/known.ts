import { MUTANTS_OF_CONDITIONS } from "./conditions.ts";
import { MUTANTS_OF_KINDS } from "./kinds.ts";
import { MORE_MUTANTS, SHORT_WAY_OFF } from "./more.ts";
import type { Mutant } from "./mutant.ts";

const CREATED = `if not count or kept.fence ~= fence then
  local created_ms = tonumber(ARGV[4]) or 30000
  local value = store_hold(1, token, created_ms, now_ms, 'ms')
  kept.token, kept.value, kept.count, kept.fence, kept.format = token, value, 1, fence, FORMAT
  redis.call('SET', KEYS[2], format_companion(kept), 'PX', compute_companion_ttl_ms(created_ms, created_ms))
  state, count, remaining_ms = 'held', 1, created_ms
end
`;

/** Mutants with faults that other implementations have or that a small change to the lock core would cause. */
export const THE_TEN: readonly Mutant[] = [
  {
    name: "token-unchecked",
    wrong: "a release frees whatever hold is there",
    edits: [
      {
        file: "server/formats/fast-path/release.lua",
        find: "if type(stored) == 'string' and #stored <= 8192 then",
        instead: "if false then",
      },
      {
        file: "server/formats/release.lua",
        find: "local count = find_count(1, kept, token, now_ms)",
        instead: "token, ARGV[2] = kept.token, kept.fence\nlocal count = find_count(1, kept, token, now_ms)",
      },
    ],
    run: { faults: ["stop-worker", "block-worker"] },
    noticedBy: ["C1", "C8"],
  },
  {
    name: "validity-from-reply",
    wrong: "a deadline counts from the answer, not from before the request",
    edits: [
      {
        file: "server/locks/client/acquire-with-retry.ts",
        find: "return [acquired, sentAt];",
        instead: "return [acquired, getCurrentMoment()];",
      },
    ],
    run: { faults: ["delay-replies", "stop-server", "stop-worker"], seconds: 30 },
    noticedBy: ["C1", "C4"],
  },
  {
    name: "fence-from-counter",
    wrong: "a fence is the last one and one more, whatever the server has lost",
    edits: [
      SHORT_WAY_OFF,
      {
        file: "server/formats/companion.lua",
        find: "math.max(now_us, parse_whole(kept.fence) + 1)",
        instead: "parse_whole(kept.fence) + 1",
      },
    ],
    run: { faults: ["flushall", "restart-server"] },
    noticedBy: ["C2"],
  },
  {
    name: "client-clock",
    wrong: "the library and the HTTP client look at a deadline by their wall clock alone",
    edits: [
      {
        file: "lib/client/moment.ts",
        find: "return Math.max(performance.now() - moment.monotonic, Date.now() - moment.wall);",
        instead: "return Date.now() - moment.wall;",
      },
    ],
    run: { faults: ["clock-step"], seconds: 30 },
    noticedBy: ["C1", "C4"],
  },
  {
    name: "resend",
    wrong: "the connection sends again what was in flight, and nobody remembers a request",
    edits: [
      {
        file: "server/redis/connect.ts",
        find: "autoResendUnfulfilledCommands: false,\n    maxRetriesPerRequest: 0,",
        instead: "autoResendUnfulfilledCommands: true,\n    maxRetriesPerRequest: null,",
      },
      {
        file: "server/formats/request-window.lua",
        find: "if not at then return nil end\n  local verb, digest",
        instead: "do return nil end\n  local verb, digest",
      },
    ],
    run: { faults: ["drop-replies"] },
    noticedBy: ["C8"],
  },
  {
    name: "renewal-creates",
    wrong: "a renewal writes the lock, whoever has it by then",
    edits: [
      {
        file: "server/formats/renew.lua",
        find: "local standing, left_ms = assess_hold",
        instead: `${CREATED}local standing, left_ms = assess_hold`,
      },
    ],
    run: { format: "token", faults: ["stop-server", "partition"] },
    noticedBy: ["C1", "C4", "C8"],
  },
  {
    name: "no-second-look",
    wrong: "who waits does not look again once it is subscribed",
    edits: [
      {
        file: "server/locks/waiting/waiter-queues.ts",
        find: "this.subscriber.subscribe(wake)]);\n    queue.wake();",
        instead: "this.subscriber.subscribe(wake)]);\n    queue.sleepUntil(null);",
      },
    ],
    // Latency increases the time between the first attempt and the subscription. With many locks, a waiter that missed
    // a release is not woken by a later release of the same lock.
    run: { faults: [], contexts: 1, locks: 12, latencyMs: 10, seconds: 30 },
    noticedBy: ["C5"],
  },
  {
    name: "expiry-second",
    wrong: "the lock gets its time to live by a second command",
    edits: [
      SHORT_WAY_OFF,
      {
        file: "server/formats/redisson/storage.lua",
        find: "local set = redis.pcall('PEXPIRE', KEYS[k], format_integer(total_ms))\n  -- Redis refused",
        instead: "local set = true\n  -- Redis refused",
      },
      {
        file: "server/locks/verbs/acquirer.ts",
        find: 'if (reply.outcome === "granted") {\n      const unit',
        instead:
          'if (reply.outcome === "granted") {\n      void (this.#redis as unknown as { pexpire(key: unknown, ms: number): Promise<unknown> }).pexpire(key, ask.leaseMs).catch(() => undefined);\n      const unit',
      },
    ],
    run: { faults: ["kill-worker", "partition"] },
    noticedBy: ["C5"],
  },
  {
    name: "fence-per-entry",
    wrong: "a hold that is entered again gets another fence",
    edits: [
      {
        file: "server/formats/reenter.lua",
        find: "local lease_ms = tonumber(ARGV[4]) or kept.lease",
        instead:
          "local lease_ms = tonumber(ARGV[4]) or kept.lease\nfence = format_integer(parse_whole(fence) + 1)\nkept.fence = fence",
      },
    ],
    run: { faults: [] },
    noticedBy: ["C4", "C5", "C7", "C8"],
  },
  {
    name: "fence-not-written-back",
    wrong: "masters of a quorum that gave smaller fences are not told of the largest",
    edits: [
      {
        file: "server/locks/quorum/confirm-agreement.ts",
        find: "agreement.voters.filter((vote) => isBehind(vote, agreement))",
        instead: "agreement.voters.filter((vote) => isBehind(vote, agreement) && false)",
      },
    ],
    run: { topology: "quorum", format: "token", faults: [] },
    noticedBy: ["C7"],
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...MUTANTS_OF_KINDS,
  ...MUTANTS_OF_CONDITIONS,
  ...MORE_MUTANTS,
  ...THE_TEN,
];
