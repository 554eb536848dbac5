import { compareIds } from "../../../server/history/events/event-id.ts";
import { ROOT_KEY, type TestServer, waitUntil } from "../../support/test-server.ts";
import { expect } from "../figures.ts";
import { type RunningProgram, startProgram } from "../samples/running-program.ts";
import type { WatchRunner } from "./watch-runners.ts";

export const WITHIN_MS = 60_000;
/** Printed for an event without an id. */
const NO_ID = "-";

interface PrintedEvent {
  readonly id: string;
  readonly type: string;
  readonly key: string | undefined;
}

export interface RunningWatcher extends RunningProgram {
  /** Lists the messages that were printed completely, in order. */
  readonly listEvents: () => PrintedEvent[];
}

export function startWatcher(
  { command }: WatchRunner,
  url: string,
  args: string[] = [],
  apiKey = ROOT_KEY,
): RunningWatcher {
  const env = { ...process.env, LOCKKEEPER_URL: url, LOCKKEEPER_API_KEY: apiKey };
  const program = startProgram([...command, ...args], { env });
  return {
    ...program,
    listEvents: () =>
      [...program.readOutput().matchAll(/^(\S+) (\w+) (\{.*\})\n/gm)].map(
        ([, id = "", type = "", json = ""]) => ({
          id,
          type,
          key: JSON.parse(json).key,
        }),
      ),
  };
}

/** Reads the events of the history after an id, oldest first, once the release of `lastKey` is among them. */
async function readHistory(
  server: TestServer,
  lastKey: string,
  afterId: string | undefined,
): Promise<PrintedEvent[]> {
  const query = `order=oldest_first&limit=500${afterId === undefined ? "" : `&cursor=${afterId}`}`;
  let items: PrintedEvent[] = [];
  await waitUntil(async () => {
    items = (await server.call(`/history?${query}`)).body.items;
    return items.some(({ key, type }) => key === lastKey && type === "released");
  }, WITHIN_MS);
  return items;
}

/**
 * Waits until all events after an id and up to the release of `lastKey` were printed.
 *
 * The server sends an event without an id if it cannot record it at once, which happens on a busy machine. It is sent
 * again after a reconnect, so such events may be printed twice.
 *
 * @throws unless each other event was printed once, in the order of the history
 */
export async function expectAllPrinted(
  server: TestServer,
  watcher: RunningWatcher,
  lastKey: string,
  afterId: string | undefined,
): Promise<number> {
  const recorded = await readHistory(server, lastKey, afterId);
  const findMissing = () => {
    const printed = watcher.listEvents();
    const isPrinted = (event: PrintedEvent) =>
      printed.some(({ id, type, key }) =>
        id === NO_ID ? type === event.type && key === event.key : id === event.id,
      );
    return recorded.filter((event) => !isPrinted(event));
  };
  await waitUntil(() => findMissing().length === 0, WITHIN_MS).catch(() => undefined);
  // A `gap` may follow on a busy machine.
  const lastId = recorded.at(-1)?.id ?? NO_ID;
  const printedIds = watcher
    .listEvents()
    .flatMap(({ id }) => (id === NO_ID || compareIds(id, lastId) > 0 ? [] : [id]));
  const printed = { missing: findMissing(), ids: printedIds };
  const wanted = { missing: [], ids: recorded.map(({ id }) => id).filter((id) => printedIds.includes(id)) };
  expect(`printed events\n${watcher.readComplaints()}`, printed, wanted);
  return recorded.length;
}
