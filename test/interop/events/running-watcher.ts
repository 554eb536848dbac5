import { compareIds } from "../../../server/history/events/event-id.ts";
import { ROOT_KEY, type TestServer, waitUntil } from "../../support/test-server.ts";
import { expect } from "../figures.ts";
import { type RunningProgram, startProgram } from "../samples/running-program.ts";
import type { WatchRunner } from "./watch-runners.ts";

export const WITHIN_MS = 60_000;
/** Printed in place of the id for an event without an id. */
const NO_ID = "-";

interface PrintedEvent {
  readonly id: string;
  readonly type: string;
  readonly key: string | undefined;
}

export interface RunningWatcher extends RunningProgram {
  /** Lists the events that have been printed completely, in order of output. */
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

/** Reads the events after an id, oldest first. Waits until the history contains the release of `lastKey`. */
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
 * Waits until all events after an id, up to the release of `lastKey`, have been printed.
 *
 * The server sends an event without an id if it cannot store it at once, which happens on a busy machine. After a
 * reconnect, the server sends the stored event again, so such an event may be printed twice.
 *
 * @returns the number of events
 * @throws if an event with an id was not printed exactly once, or not in the order of the history
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
  // Ignores later messages, because a `gap` may follow on a busy machine.
  const lastId = recorded.at(-1)?.id ?? NO_ID;
  const printedIds = watcher
    .listEvents()
    .flatMap(({ id }) => (id === NO_ID || compareIds(id, lastId) > 0 ? [] : [id]));
  const printed = { missing: findMissing(), ids: printedIds };
  const wanted = { missing: [], ids: recorded.map(({ id }) => id).filter((id) => printedIds.includes(id)) };
  expect(`printed events\n${watcher.readComplaints()}`, printed, wanted);
  return recorded.length;
}
