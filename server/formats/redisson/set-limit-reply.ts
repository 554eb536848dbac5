import { UnexpectedReplyError } from "../../redis/failure.ts";
import { type NotALockReply, parseNotALockReply } from "../script-replies.ts";

export type SetLimitReply =
  | NotALockReply
  | {
      readonly outcome: "limited";
      readonly asOf: number;
      readonly available: number;
      readonly acquired: number;
      /** The total number of permits before the change; `null` if there was no semaphore. */
      readonly previousLimit: number | null;
    };

export function parseSetLimitReply(reply: unknown): SetLimitReply {
  const fields = Array.isArray(reply) ? reply.map(String) : [];
  const [outcome, first, available, acquired, before] = fields;
  if (outcome === "not_a_lock") return parseNotALockReply(fields);
  if (outcome === "limited") {
    const previousLimit = before === "-1" ? null : Number(before);
    const permits = { available: Number(available), acquired: Number(acquired), previousLimit };
    return { outcome, asOf: Number(first), ...permits };
  }
  throw new UnexpectedReplyError(`set-limit.lua returned ${JSON.stringify(outcome)}`);
}
