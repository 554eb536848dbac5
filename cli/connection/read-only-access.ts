import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "../../server/errors/startup-error.ts";
import { findMissingRights } from "../../server/health/rights.ts";
import type { RedisLocation } from "../../server/locks/backends/open-backend.ts";
import { waitUntilReady } from "../../server/redis/connect.ts";
import type { Master } from "../../server/redis/master.ts";
import { openMasters } from "../../server/redis/masters/open-masters.ts";
import { formatLocation, probeTarget } from "../../server/targets/probe-target.ts";
import { buildReaderCommandLine } from "./reader-rules.ts";

const CONNECT_MS = 3000;
const CHECK_INTERVAL_MS = 20;

/**
 * Returns lines of text that describe how Lockkeeper accesses a Redis deployment in read-only mode, and which required
 * commands the Redis user is not permitted to run.
 *
 * @param ownData the Redis that stores Lockkeeper's own data, as a phrase for the text
 * @throws StartupError if Redis cannot be reached or denies access. If Redis reports missing permissions, the message
 * contains the command that creates a user with sufficient permissions
 */
export async function explainReadOnly(
  where: RedisLocation,
  patterns: readonly string[],
  ownData: string,
): Promise<string[]> {
  const { name: server } = await probeTarget(where, "REDIS_URL").catch((error: unknown) => {
    throw addReaderRules(error, where, patterns);
  });
  const command = buildReaderCommandLine(where, patterns, server);
  const missing = await readMissingRights(where);
  return [
    `Read-only: nothing is written to ${formatLocation(where)} (${server}).`,
    "  It is read with SCAN, PTTL, GET, HGETALL and similar commands, INFO, CONFIG GET, and scripts that only read.",
    "  Changes arrive as keyspace notifications if they are enabled. Locks cannot be acquired or released here.",
    `  Lockkeeper's own data (operators, API keys, history) is in ${ownData}.`,
    ...(missing.length === 0
      ? [`  A user that can only read is enough: ${command}`]
      : [
          `  Warning: the Redis user may not run ${missing.join(", ")}, so locks may be missing. A sufficient user: ${command}`,
        ]),
  ];
}

function addReaderRules(error: unknown, where: RedisLocation, patterns: readonly string[]): unknown {
  if (!(error instanceof StartupError) || !error.message.includes("NOPERM")) return error;
  return new StartupError(
    `${error.message} A sufficient user: ${buildReaderCommandLine(where, patterns, "Redis 7.0")}`,
    {
      cause: error,
      fault: error.fault,
    },
  );
}

/**
 * Returns the commands that reading locks requires and that the user is not permitted to run on at least one master.
 */
async function readMissingRights(where: RedisLocation): Promise<readonly string[]> {
  const masters = openMasters(where, "reads");
  try {
    const list = await waitForMasters(() => masters.list);
    const missing = await Promise.all(list.map(readMasterRights));
    return [...new Set(missing.flat())];
  } finally {
    masters.close();
  }
}

async function readMasterRights(master: Master): Promise<readonly string[]> {
  try {
    await waitUntilReady(master.redis, AbortSignal.timeout(CONNECT_MS));
    return await findMissingRights(master.redis, "reads", master.findHashTag());
  } catch {
    // Ignores a master that does not respond. The server reports it later.
    return [];
  }
}

async function waitForMasters(getList: () => readonly Master[]): Promise<readonly Master[]> {
  const deadline = performance.now() + CONNECT_MS;
  while (getList().length === 0 && performance.now() < deadline) await sleep(CHECK_INTERVAL_MS);
  return getList();
}
