import { HeldError, WaitTimeoutError } from "../../server/errors/lock-errors.ts";
import { StartupError } from "../../server/errors/startup-error.ts";
import { parseHoldId } from "../../server/formats/hold-id.ts";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import { probeTarget } from "../../server/targets/probe-target.ts";
import type { RedisConnection } from "../connection/choose-connection.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { explainLocalError } from "../output/local-error.ts";
import { toPrintable } from "../output/printable.ts";
import {
  acquireLocks,
  type HeldLock,
  LockHeldError,
  type LockRequest,
  type LockSource,
} from "./held-lock.ts";
import { explainLockError } from "./lock-errors.ts";
import { waitForLock } from "./wait-for-lock.ts";

/** A lock source that acquires locks directly in Redis, without a server. */
export class RedisLocks implements LockSource {
  private constructor(private readonly client: LockClient) {}

  /**
   * Connects to Redis.
   *
   * @param target target name that becomes part of the hold ids, such as the name that a server uses for the same Redis
   * deployment
   * @throws CliError if Redis cannot be reached, refuses the credentials or does not support locks
   */
  static async open(connection: RedisConnection, target: string | undefined): Promise<RedisLocks> {
    const options = target === undefined ? {} : { target };
    try {
      return new RedisLocks(await LockClient.open(connection.where, options));
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      throw await explainOpenError(error, connection);
    }
  }

  async acquire({ keys, holding: holdIds, ...request }: LockRequest): Promise<HeldLock> {
    const holding = holdIds.flatMap((holdId) => parseHoldId(holdId) ?? []);
    try {
      return await waitForLock(request, (waitMs) =>
        acquireLocks(this.client, keys, { ...request, holding, waitMs }),
      );
    } catch (error) {
      if (!(error instanceof HeldError || error instanceof WaitTimeoutError)) throw explainLockError(error);
      const { key, holders, remainingMs, permits } = error.facts;
      throw new LockHeldError(key, permits ?? (holders[0] && { owner: holders[0].owner, remainingMs }));
    }
  }

  close(): void {
    this.client.close();
  }
}

/**
 * Converts an error from `LockClient.open`. That error does not state whether Redis is unreachable, so this function
 * checks Redis again.
 */
async function explainOpenError(error: StartupError, { where, setting }: RedisConnection): Promise<CliError> {
  try {
    await probeTarget(where, setting);
  } catch (found) {
    if (found instanceof StartupError && found.fault !== "unreachable") return explainLocalError(found);
  }
  return new CliError(toPrintable(error.message), EXIT_CODES.unavailable, { cause: error });
}
