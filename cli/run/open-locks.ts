import type { RedisConnection, ServerConnection } from "../connection/choose-connection.ts";
import type { LockSource } from "./held-lock.ts";

/**
 * Connects to the server or the Redis that the user chose.
 *
 * @param target name of the target on the server; without a server, the target name in hold ids
 * @throws CliError
 */
export async function openLocks(
  connection: ServerConnection | RedisConnection,
  target: string | undefined,
): Promise<LockSource> {
  // Each branch loads only the client that it needs.
  if (connection.kind === "redis") {
    const { RedisLocks } = await import("./redis-locks.ts");
    return await RedisLocks.open(connection.where, target);
  }
  const { ServerLocks } = await import("./server-locks.ts");
  return new ServerLocks(connection);
}
