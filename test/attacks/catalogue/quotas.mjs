/** @typedef {import("./index.mjs").Attack} Attack */

const QUOTAS = "server/quotas/quotas.integration.test.ts";

/** @type {Attack[]} */
export const QUOTA_ATTACKS = [
  {
    id: "quota/flood",
    attack: "A flood of 1 KB lock names with leases of 24 h from one API key",
    result: "429 `quota_exceeded` at the quota; nothing more is written; other keys are not affected",
    file: QUOTAS,
    test: "a flood of 1 KB lock names with 24 h leases is refused at the quota, and other keys are not affected",
  },
  {
    id: "quota/bytes",
    attack: "Few locks that are as large as possible",
    result: "Refused at the quota in bytes",
    file: QUOTAS,
    test: "the quota in bytes refuses what a quota of holds would permit",
  },
  {
    id: "quota/instances",
    attack: "Acquiring through another instance, or after a restart",
    result: "Holds of every instance count",
    file: QUOTAS,
    test: "each instance sees the holds that the other granted, and counts them again after a restart",
  },
  {
    id: "quota/lock-out",
    attack: "Using up a quota so that existing holds cannot be renewed or released",
    result: "Re-entry, renewal, release and repeated requests are never refused",
    file: QUOTAS,
    test: "re-entry, renewal, verification, release and a repeated request work at the quota",
  },
];
