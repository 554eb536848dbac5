import { type Command, InvalidArgumentError } from "commander";
import { EVENT_TYPES, History, type HistoryEntry } from "../../lib/contract/event.ts";
import { addServerOptions, chooseServer, type ServerOptions } from "../connection/choose-connection.ts";
import { type EventFilterQuery, followEvents } from "../connection/event-follower.ts";
import { ServerApi } from "../connection/server-api.ts";
import { formatEventLine } from "../output/event-lines.ts";
import { toPrintable } from "../output/printable.ts";
import type { CliContext } from "./command-context.ts";

const LIMIT = 20;
const LIMIT_MAX = 500;

const HELP = `
Prints the latest events, oldest first. With --follow, new events follow until you press Ctrl-C. After a lost
connection, the stream resumes after the last event, so that no stored event is missed. Renewals and waits are not
stored. Times are in UTC.

Event types: ${EVENT_TYPES.join(", ")}, gap.

Examples:
  $ lockkeeper events --key 'lock:orders:*' --limit 50
  $ lockkeeper events --follow --type expired,force_released,gap
  $ lockkeeper events --follow --json | jq -r .key`;

interface EventsOptions extends ServerOptions {
  readonly follow?: true;
  readonly key?: string;
  readonly owner?: string;
  readonly type?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Adds `lockkeeper events`, which prints past events and, with `--follow`, new events. */
export function addEventsCommand(program: Command, context: CliContext): void {
  const command = program.command("events").description("Print lock events, and follow them.");
  addServerOptions(command)
    .option("--follow", "keep printing new events")
    .option("--key <glob>", "only events of these keys, such as lock:orders:*")
    .option("--owner <glob>", "only events of these owners")
    .option("--type <types>", "only these event types, separated by commas")
    .option("--limit <number>", "number of past events", parseLimit, LIMIT)
    .option("--json", "print one event of the API a line, as JSON")
    .addHelpText("after", HELP)
    .action((options: EventsOptions) => printEvents(options, context));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 0 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${LIMIT_MAX}.`);
}

async function printEvents(options: EventsOptions, context: CliContext): Promise<void> {
  const api = new ServerApi(chooseServer(options, context.environment), context.version);
  const { key, owner, type, limit, follow, json } = options;
  const filter: EventFilterQuery = { key, owner, type };
  const print = (entry: HistoryEntry) =>
    context.writeOut(json ? `${JSON.stringify(entry)}\n` : formatEventLine(entry, context.terminal.style));
  // Reads the position before the page, so that the stream prints events that occur between the two requests.
  const position = follow ? await readNewestId(api) : undefined;
  const page = limit === 0 ? [] : await readPage(api, filter, limit);
  for (const entry of page.reverse()) {
    if (position === undefined || compareIds(entry.id, position) <= 0) print(entry);
  }
  if (!follow) return;
  await followEvents(api, {
    filter,
    position,
    onEvent: print,
    onNotice: (text) => context.writeError(`${toPrintable(text)}\n`),
  });
}

async function readPage(api: ServerApi, filter: EventFilterQuery, limit: number): Promise<HistoryEntry[]> {
  const query = { ...filter, limit: String(limit) };
  return (await api.read({ path: "/history", route: "/history", query, schema: History })).items;
}

async function readNewestId(api: ServerApi): Promise<string | undefined> {
  return (await readPage(api, {}, 1))[0]?.id;
}

/**
 * Compares the ids of two stored events. An id consists of Unix milliseconds and a sequence number, separated by a
 * hyphen.
 */
function compareIds(one: string, other: string): number {
  const [oneMs = 0, oneNumber = 0] = one.split("-").map(Number);
  const [otherMs = 0, otherNumber = 0] = other.split("-").map(Number);
  return oneMs - otherMs || oneNumber - otherNumber;
}
