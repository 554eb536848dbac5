import { z } from "zod";

/** Which target a request is about. */
export const TargetQuery = z.object({
  target: z
    .string()
    .optional()
    .meta({ description: "The name of a target; without it the first one that is configured." }),
});

export const Topology = z.enum(["standalone", "sentinel", "cluster", "quorum"]);
export type Topology = z.infer<typeof Topology>;
