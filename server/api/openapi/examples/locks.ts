import type { Extended } from "../../../../lib/contract/actions/extend.ts";
import type { ForceReleased } from "../../../../lib/contract/actions/force-release.ts";
import type { NoteResult } from "../../../../lib/contract/actions/note.ts";
import type {
  EventsHello,
  GapEvent,
  History,
  HistoryEntry,
  LockEvent,
} from "../../../../lib/contract/event.ts";
import type { LockList } from "../../../../lib/contract/list.ts";
import type { Lock } from "../../../../lib/contract/lock.ts";
import type { RawLock } from "../../../../lib/contract/raw-lock.ts";
import { createSampleHolder, createSampleLock } from "../../../../lib/contract/sample-lock.ts";
import type { Stats, TypicalTimes } from "../../../../lib/contract/stats.ts";
import type { LockWaiters } from "../../../../lib/contract/waiters.ts";
import { formatLockCsvRow, LOCK_CSV_HEADER } from "../../http/lock-csv.ts";

/** All examples show the same lock. */
const KEY = "lock:orders:42";
const OWNER = "checkout@pod-7:311";
const FENCE = "1795216496123456";
const SINCE = 1_795_216_496_123;
const AS_OF = 1_795_216_504_643;

export const EXTENDED: Extended = {
  key: KEY,
  outcome: "extended",
  owner: OWNER,
  by: "mei",
  remainingMs: 600_000,
  lasts: "to_its_end",
  asOf: AS_OF,
};

export const NOTE_RESULT: NoteResult = {
  key: KEY,
  note: { text: "mei is investigating", by: "mei", at: AS_OF, about: "hold" },
  asOf: AS_OF,
};

export const HELD_LOCK: Lock = createSampleLock({
  target: "default",
  key: KEY,
  holders: [
    createSampleHolder({
      owner: OWNER,
      fence: FENCE,
      record: { service: "checkout", host: "pod-7", pid: 311 },
      since: SINCE,
      sinceIs: "exact",
      remainingMs: 21_480,
      version: `fence.${FENCE}`,
    }),
  ],
  remainingMs: 21_480,
  waiters: { count: 2, known: "exact" },
  liveness: {
    state: "alive",
    watchedMs: 8520,
    renewals: 0,
    lastRenewalAt: null,
    renewalIntervalMs: 10_000,
    nextRenewalExpectedAt: null,
    missedRenewals: 0,
  },
  version: `fence.${FENCE}`,
  asOf: AS_OF,
});

export const LOCKS_CSV = LOCK_CSV_HEADER + formatLockCsvRow(HELD_LOCK);

export const LOCK_LIST: LockList = { items: [HELD_LOCK], total: 1, unlisted: 27, asOf: AS_OF };

export const FORCE_RELEASED: ForceReleased = {
  key: KEY,
  outcome: "released",
  owner: OWNER,
  fence: FENCE,
  heldMs: 8520,
  waiters: { count: 2, known: "estimated" },
  by: "mei",
  watchMs: 5000,
  asOf: AS_OF,
};

export const ACQUIRED_EVENT: LockEvent = {
  id: "1795216496123-0",
  type: "acquired",
  target: "default",
  key: KEY,
  at: SINCE,
  owner: OWNER,
  count: 1,
  fence: FENCE,
  seq: 1,
  observed: "exact",
};
export const RELEASED_EVENT: LockEvent = {
  ...ACQUIRED_EVENT,
  id: "1795216504643-0",
  type: "released",
  at: AS_OF,
  heldMs: 8520,
  seq: 2,
};
export const GAP_EVENT: GapEvent = {
  id: "1795216200000-0",
  type: "gap",
  target: "default",
  at: 1_795_216_200_000,
  from: 1_795_216_140_000,
  to: 1_795_216_200_000,
};
const ENTRIES: HistoryEntry[] = [RELEASED_EVENT, ACQUIRED_EVENT, GAP_EVENT];
export const HISTORY: History = { items: ENTRIES, complete: true };
export const KEY_HISTORY: History = {
  items: [RELEASED_EVENT, ACQUIRED_EVENT],
  complete: true,
  holds: [
    {
      owner: OWNER,
      fence: FENCE,
      since: SINCE,
      sinceIs: "exact",
      until: AS_OF,
      end: "recorded",
      ended: RELEASED_EVENT,
    },
  ],
};
export const EVENTS_HELLO: EventsHello = {
  oldest: "1795130104643-0",
  newest: "1795216496123-0",
  now: AS_OF,
};

export const RAW_LOCK: RawLock = {
  target: "default",
  key: KEY,
  copies: [
    {
      master: "10.0.0.5:6379",
      type: "hash",
      remainingMs: 21_480,
      size: 1,
      entries: [{ name: { text: OWNER, bytes: 18 }, value: { text: "1", bytes: 1 } }],
      asOf: AS_OF,
    },
  ],
  silent: [],
};

export const LOCK_WAITERS: LockWaiters = {
  target: "default",
  key: KEY,
  waiters: { count: 2, known: "estimated" },
  order: "first_come",
  named: 2,
  items: [
    {
      owner: "checkout@pod-2:87",
      by: "lockkeeper",
      place: 1,
      since: AS_OF - 6200,
      until: AS_OF + 23_800,
    },
    {
      owner: "refunds@pod-1:12",
      by: "lockkeeper",
      place: 2,
      since: AS_OF - 900,
      until: AS_OF + 4100,
    },
  ],
  asOf: AS_OF,
};

const TYPICAL_MS = { p50: 840, p95: 3120, samples: 412.5 };
export const TYPICAL_TIMES: TypicalTimes = {
  pattern: "lock:orders:*",
  heldMs: TYPICAL_MS,
  waitedMs: { p50: 12, p95: 96, samples: 31.2 },
  heldSpread: [
    { fromMs: 362, toMs: 512, share: 0.2 },
    { fromMs: 512, toMs: 724, share: 0.2 },
    { fromMs: 724, toMs: 1024, share: 0.31 },
    { fromMs: 1024, toMs: 1448, share: 0.19 },
    { fromMs: 1448, toMs: 2048, share: 0.05 },
    { fromMs: 2048, toMs: 2896, share: 0 },
    { fromMs: 2896, toMs: 4096, share: 0.05 },
  ],
  waitedSpread: [{ fromMs: 8, toMs: 11, share: 1 }],
  since: 1_795_130_104_643,
  waitsSince: 1_795_200_000_000,
};

const PATTERN_STATS = {
  pattern: TYPICAL_TIMES.pattern,
  heldMs: TYPICAL_TIMES.heldMs,
  waitedMs: TYPICAL_TIMES.waitedMs,
  acquisitions: 1830,
  waits: 44,
  refusals: 12,
  givenUp: 1,
  expired: 3,
  expiredInUse: 1,
  renewalsFailed: 0,
  forceReleases: 1,
  evictions: 0,
};
export const STATS: Stats = {
  target: "default",
  now: AS_OF,
  since: 1_795_130_104_643,
  waitsSince: 1_795_200_000_000,
  totals: {
    held: 17,
    ended: 0,
    waiting: 2,
    needsAttention: 1,
    byFormat: [{ format: "redisson", held: 17, needsAttention: 1 }],
    byLiveness: [
      { liveness: "alive", held: 16 },
      { liveness: "no_ttl", held: 1 },
    ],
  },
  series: {
    stepMs: 10_000,
    points: [
      {
        at: 1_795_216_500_000,
        held: 17,
        waiting: 2,
        needsAttention: 1,
        acquisitionsPerS: 4.2,
        expired: 0,
        waitedMsP95: 96,
      },
    ],
  },
  top: {
    contended: [PATTERN_STATS],
    longestWaits: [PATTERN_STATS],
    expiredInUse: [PATTERN_STATS],
    forceReleases: [],
    evictions: [],
  },
  patterns: { items: [PATTERN_STATS], total: 1 },
};
