import type { NamespaceList } from "../../../../lib/contract/namespace.ts";

export const NAMESPACE_LIST: NamespaceList = {
  items: [
    {
      name: "lock:orders:",
      holds: 3,
      deeper: 2,
      needsAttention: 1,
      liveness: { alive: 2, overdue: 1 },
      oldest: { key: "lock:orders:42", since: 1_795_216_496_123, sinceIs: "exact" },
      waiters: { count: 2, known: "exact" },
    },
  ],
  total: 1,
  without: 4,
  asOf: 1_795_216_504_643,
};
