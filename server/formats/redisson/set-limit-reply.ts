import { UnexpectedReplyError } from "../../redis/failure.ts";
import type { NotALockReply } from "../script-replies.ts";

export type SetLimitReply =
  | NotALockReply
  | {
      readonly outcome: "limited";
      readonly asOf: number;
      readonly available: number;
      readonly acquired: number;
    };

export function parseSetLimitReply(reply: unknown): SetLimitReply {
  const [outcome, first, available, acquired] = Array.isArray(reply) ? reply.map(String) : [];
  if (outcome === "not_a_lock") return { outcome, type: first ?? "", foundKind: acquired };
  if (outcome === "limited")
    return { outcome, asOf: Number(first), available: Number(available), acquired: Number(acquired) };
  throw new UnexpectedReplyError(`set-limit.lua returned ${JSON.stringify(outcome)}`);
}
