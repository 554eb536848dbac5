import type { Command } from "commander";
import type { Lock } from "../../lib/contract/lock.ts";
import { decodeKey, type Key } from "../../lib/keys/key.ts";
import {
  addRedisOption,
  addServerOptions,
  chooseConnection,
  type RedisConnection,
  type RedisOption,
  type ServerConnection,
  type ServerOptions,
} from "../connection/choose-connection.ts";
import { ServerApi } from "../connection/server-api.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { formatLockDetails } from "../output/lock-details.ts";
import type { CliContext } from "./command-context.ts";
import { createServerSource, type LocksSource } from "./locks-source.ts";

const HELP = `
Exits with 1 if the lock is free. The version identifies the hold for "lockkeeper release".

Examples:
  $ lockkeeper show lock:orders:42
  $ lockkeeper show lock:orders:42 --json | jq -r .version
  $ lockkeeper show lock:orders:42 --redis redis://redis-1:6379`;

interface ShowOptions extends ServerOptions, RedisOption {
  readonly json?: true;
}

/** Adds `lockkeeper show`, which shows the details of one lock. */
export function addShowCommand(program: Command, context: CliContext): void {
  const command = program
    .command("show")
    .description("Show everything about one lock.")
    .argument("<key>", "name of the lock");
  addRedisOption(addServerOptions(command))
    .option("--json", "print the lock of the API as JSON")
    .addHelpText("after", HELP)
    .action(async (text: string, options: ShowOptions) => {
      const lock = await readLock(parseKeyArgument(text), options, context);
      context.writeOut(
        options.json ? `${JSON.stringify(lock)}\n` : formatLockDetails(lock, context.terminal.style),
      );
      if (lock.state === "free") context.setExitCode(EXIT_CODES.negative);
    });
}

/** Converts a command-line argument to the key with the same UTF-8 bytes. */
export function parseKeyArgument(text: string): Key {
  return decodeKey(new TextEncoder().encode(text));
}

async function readLock(key: Key, options: ShowOptions, context: CliContext): Promise<Lock> {
  const connection = chooseConnection(options, context.environment);
  const source = await openSource(connection, context);
  try {
    return await source.readLock(key);
  } finally {
    source.close();
  }
}

async function openSource(
  connection: ServerConnection | RedisConnection,
  context: CliContext,
): Promise<LocksSource> {
  if (connection.kind === "server") return createServerSource(new ServerApi(connection, context.version));
  // Imported dynamically, so that commands that use a server do not load the code that reads Redis.
  const { openDirectSource } = await import("./direct-source.ts");
  return await openDirectSource(connection, { match: [], terminal: context.terminal });
}
