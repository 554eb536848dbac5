import type { RedisConnection, ServerConnection } from "../connection/choose-connection.ts";
import type { LockSource } from "./held-lock.ts";

/**
 * Connects to the server or the Redis deployment that the user chose.
 *
 * @param target target name in hold ids if `connection` is a Redis deployment. Ignored for a server connection, which
 * contains its own target
 * @throws CliError if the API key is missing or malformed, or if Redis cannot be reached or used
 */
export async function openLocks(
  connection: ServerConnection | RedisConnection,
  target: string | undefined,
): Promise<LockSource> {
  // Each branch loads only the client that it needs.
  if (connection.kind === "redis") {
    const { RedisLocks } = await import("./redis-locks.ts");
    return await RedisLocks.open(connection, target);
  }
  const { ServerLocks } = await import("./server-locks.ts");
  return new ServerLocks(connection);
}
