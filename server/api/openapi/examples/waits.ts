import type { Waits } from "../../../../lib/contract/waits/waits.ts";

export const WAITS: Waits = {
  target: "default",
  waiting: 3,
  locks: 3,
  locksLeftOut: 0,
  deadlocks: [
    {
      id: "q3nX0b9yTqkVw1Zd",
      since: 1_795_216_492_643,
      until: 1_795_216_522_643,
      cycle: [
        {
          owner: "transfer@pod-4:9",
          key: "lock:acct:9",
          since: 1_795_216_492_643,
          until: 1_795_216_527_643,
          holdKey: "lock:acct:7",
        },
        {
          owner: "audit@pod-2:3",
          key: "lock:acct:7",
          since: 1_795_216_484_643,
          until: 1_795_216_522_643,
          holdKey: "lock:acct:9",
        },
      ],
      others: 0,
      waiting: 0,
      unnamed: 0,
      waitedMs: 0,
      rows: [],
      rowsLeftOut: 0,
    },
  ],
  roots: [
    {
      key: "lock:orders:42",
      holders: [{ owner: "checkout@pod-2:17", record: { service: "checkout", host: "pod-2", pid: 17 } }],
      holdersLeftOut: 0,
      liveness: "alive",
      isBehindUnreadable: false,
      waiting: 1,
      unnamed: 0,
      waitedMs: 18_000,
      rows: [
        {
          depth: 1,
          owner: "refund@pod-9:4",
          by: "lockkeeper",
          key: "lock:orders:42",
          since: 1_795_216_486_643,
          sinceIs: "exact",
          until: 1_795_216_516_643,
          holds: [],
        },
      ],
      rowsLeftOut: 0,
    },
  ],
  rootsLeftOut: 0,
  asOf: 1_795_216_504_643,
};
