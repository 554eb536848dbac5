import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "commander";
import { LOCK_SORT_FIELDS } from "../../lib/contract/lock-sort.ts";
import {
  addRedisOption,
  addServerOptions,
  chooseConnection,
  type RedisOption,
  type ServerOptions,
} from "../connection/choose-connection.ts";
import { ServerApi } from "../connection/server-api.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { formatLockTable } from "../output/lock-table.ts";
import { toPrintable } from "../output/printable.ts";
import type { CliContext } from "./command-context.ts";
import { assertLockQuery, createServerSource, type FoundLocks, type LocksSource } from "./locks-source.ts";

const LIMIT = 100;
const LIMIT_MAX = 1_000_000;
const WATCH_INTERVAL_MS = 1000;
const CLEAR_SCREEN = "\u001b[H\u001b[2J\u001b[3J";

const HELP = `
The filter is that of the console: plain text, or terms such as key:lock:orders:*, owner:worker-7*, held>5m,
waiters>0, liveness:overdue and is:needs_attention. All terms must match.

In the table, "≥" means that the lock was already held when it was first observed, or that more clients may be
waiting; "?" that a value is unknown, or that the format is not certain.

Examples:
  $ lockkeeper ls                                       all locks of the server in LOCKKEEPER_URL
  $ lockkeeper ls 'is:needs_attention' --sort -held     the suspicious ones, longest held first
  $ lockkeeper ls --redis redis://redis-1:6379 --match 'lock:*' --json | jq -r .key`;

interface LsOptions extends ServerOptions, RedisOption {
  readonly match?: readonly string[];
  readonly sort: string;
  readonly limit: number;
  readonly json?: true;
  readonly watch?: true;
}

/** Adds `lockkeeper ls`, which lists locks. */
export function addLsCommand(program: Command, context: CliContext): void {
  const command = program
    .command("ls")
    .description("List locks.")
    .argument("[filter...]", "terms that a lock must match");
  addRedisOption(addServerOptions(command))
    .option("--match <pattern...>", "patterns of the keys to scan, with --redis (default: LOCKKEEPER_WATCH)")
    .option("--sort <field>", `${LOCK_SORT_FIELDS.join(", ")}; a leading - sorts in descending order`, "key")
    .option("--limit <number>", "maximum number of locks", parseLimit, LIMIT)
    .option("--json", "print one lock of the API a line, as JSON")
    .option("--watch", "repeat the list every second")
    .addHelpText("after", HELP)
    .action((words: string[], options: LsOptions) => listLocks(words.join(" "), options, context));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
}

async function listLocks(filter: string, options: LsOptions, context: CliContext): Promise<void> {
  const query = { filter, sort: options.sort, limit: options.limit };
  assertLockQuery(query);
  if (options.watch && (options.json || !context.hasTerminal))
    throw new CliError("--watch needs a terminal, and excludes --json.", EXIT_CODES.failure);
  const source = await openSource(options, context);
  try {
    do {
      const found = await source.listLocks(query);
      if (options.watch) context.writeOut(CLEAR_SCREEN);
      if (options.json) printJson(found, context);
      else printTable(found, filter, context);
      if (options.watch) await sleep(WATCH_INTERVAL_MS);
    } while (options.watch);
  } finally {
    source.close();
  }
}

async function openSource(options: LsOptions, context: CliContext): Promise<LocksSource> {
  const connection = chooseConnection(options, context.environment);
  if (connection.kind === "server") {
    if (options.match === undefined) return createServerSource(new ServerApi(connection, context.version));
    throw new CliError(
      "--match needs --redis. With a server, use a filter, such as key:lock:*.",
      EXIT_CODES.failure,
    );
  }
  // Imported dynamically, so that commands that use a server do not load the code that reads Redis.
  const { openDirectSource } = await import("./direct-source.ts");
  const match = options.match ?? context.environment.watch;
  return await openDirectSource(connection, { match, terminal: context.terminal });
}

function printJson({ locks, warnings }: FoundLocks, context: CliContext): void {
  context.writeOut(locks.map((lock) => `${JSON.stringify(lock)}\n`).join(""));
  printNotes(warnings, context);
}

/** Prints the table to standard output, and all notes to standard error. */
function printTable(found: FoundLocks, filter: string, context: CliContext): void {
  const { locks, total, unlisted, asOf, warnings } = found;
  const { style, columns } = context.terminal;
  if (locks.length > 0) context.writeOut(formatLockTable(locks, { style, columns, asOf }));
  const isUnlistedSelected = filter.includes("is:unlisted") || filter.includes("confidence:");
  printNotes(
    [
      ...(locks.length > 0 ? [] : ["No locks match."]),
      ...(locks.length < total ? [`${locks.length} of ${total} locks. --limit shows more.`] : []),
      ...(unlisted === 0 || isUnlistedSelected
        ? []
        : [`Possible locks that are not listed: ${unlisted}. The filter is:unlisted shows them.`]),
      ...warnings,
    ],
    context,
  );
}

function printNotes(notes: readonly string[], context: CliContext): void {
  for (const note of notes) context.writeError(`${toPrintable(note)}\n`);
}
