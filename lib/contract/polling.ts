import { z } from "zod";

export const PollingDelays = z
  .object({
    endsSeenWithinMs: z.int().nullable().meta({
      description:
        "Longest time in the last rounds, in milliseconds, that the end or another change of a known lock could go unseen. null until two rounds are complete.",
    }),
    newLocksSeenWithinMs: z.int().nullable().meta({
      description:
        "Longest time in the last two scans, in milliseconds, that a new lock could go unseen. null until two scans are complete.",
    }),
  })
  .meta({
    id: "PollingDelays",
    description:
      "Measured delays while keyspace notifications are off: Lockkeeper polls the locks that it knows and scans for new ones. Changes by this API and the client library are reported at once.",
  });
export type PollingDelays = z.infer<typeof PollingDelays>;

export const POLLING = {
  description: "Of the slowest master. Absent if no reachable master is polled.",
};
