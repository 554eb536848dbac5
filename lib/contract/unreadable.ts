import { z } from "zod";

export const UNREADABLE_REASONS = ["too_large", "forbidden", "timeout", "error"] as const;
export const UnreadableReason = z.enum(UNREADABLE_REASONS).meta({
  description:
    "`too_large`: larger than Lockkeeper reads. `forbidden`: the Redis user may not read it. `timeout`: Redis did not return it in time. `error`: Redis returned an error.",
});
export type UnreadableReason = z.infer<typeof UnreadableReason>;
