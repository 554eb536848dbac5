import { toKeyFields } from "../../../lib/keys/key.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import { toReaderToken } from "../../formats/kind-keys.ts";
import { WRITE_WRITER } from "../../formats/redisson/read-write-writer.ts";
import type { Commands } from "../../redis/commands.ts";
import { attempt } from "./attempt.ts";
import type { Grant, VerbHold } from "./contract/grant.ts";
import { createLostError, createNotOwnerError, toGrant } from "./error-factories.ts";
import type { GuardedCommands } from "./safety.ts";

interface Connection extends GuardedCommands {
  readonly redis: Commands;
  readonly channel: string;
}

/** Converts a writer's hold to a reader's hold. @throws LockkeeperError like `RedisLocks.downgrade` */
export async function downgradeHold(
  { redis, channel, commands, confirm }: Connection,
  hold: VerbHold,
  onSend?: () => void,
): Promise<Grant> {
  const { key, token, fence, principal } = hold;
  if (hold.kind !== "write") {
    throw new InvalidError("Only the hold of a writer can be downgraded. Nothing was done.", {
      field: "holdId",
    });
  }
  const ask = { token, fence, principal, reader: toReaderToken(token) };
  const reply = await attempt(redis, () => {
    onSend?.();
    return WRITE_WRITER.downgrade(commands, channel, key, ask);
  });
  if (reply.outcome === "not_owner") throw createNotOwnerError(key);
  if (reply.outcome === "lost") throw createLostError(key, reply);
  if (reply.outcome === "min_hold") {
    throw new InvalidError(
      "A hold with a minimum hold time cannot be downgraded, because readers have none. Release it instead. Nothing was done.",
      { field: "holdId" },
    );
  }
  if (reply.outcome === "reentered") {
    throw new HeldError(
      `The hold was re-entered (count ${reply.count}). Release the other counts before you downgrade it. Nothing was done.`,
      { ...toKeyFields(key), holders: [], remainingMs: null, asOf: Date.now() },
    );
  }
  await confirm?.();
  return toGrant({ ...hold, kind: "read" }, reply.owner || (hold.owner ?? ""), reply);
}
