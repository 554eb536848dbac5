import type { Facets } from "../../../../lib/contract/facet.ts";

export const FACETS: Facets = {
  total: 3,
  facets: [
    {
      field: "format",
      values: [
        { value: "redisson", filter: "format:redisson", locks: 2 },
        { value: "shedlock", filter: "format:shedlock", locks: 1 },
      ],
      ...{ others: 0, without: 0 },
    },
    {
      field: "kind",
      values: [{ value: "lock", filter: "kind:lock", locks: 3 }],
      ...{ others: 0, without: 0 },
    },
    {
      field: "liveness",
      values: [
        { value: "alive", filter: "liveness:alive", locks: 2 },
        { value: "not_renewing", filter: "liveness:not_renewing", locks: 1 },
      ],
      ...{ others: 0, without: 0 },
    },
    {
      field: "service",
      values: [{ value: "checkout", filter: 'service:="checkout"', locks: 2 }],
      ...{ others: 0, without: 1 },
    },
    {
      field: "host",
      values: [
        { value: "pod-7", filter: 'host:="pod-7"', locks: 1 },
        { value: "pod-9", filter: 'host:="pod-9"', locks: 1 },
      ],
      ...{ others: 0, without: 1 },
    },
    {
      field: "waiters",
      values: [{ value: "waiting", filter: "waiters>0", locks: 1 }],
      ...{ others: 0, without: 2 },
    },
  ],
  asOf: 1_795_216_504_643,
};
