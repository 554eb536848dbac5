import type { OwnerList } from "../../../../lib/contract/owner.ts";

export const OWNER_LIST: OwnerList = {
  items: [
    {
      name: "checkout@pod-7:311",
      filter: 'owner:="checkout@pod-7:311"',
      holds: 3,
      needsAttention: 1,
      liveness: { alive: 2, overdue: 1 },
      oldest: { key: "lock:orders:42", since: 1_795_216_496_123, sinceIs: "exact" },
      waiters: { count: 2, known: "exact" },
    },
  ],
  total: 1,
  without: 0,
  asOf: 1_795_216_504_643,
};
