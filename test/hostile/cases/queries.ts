import { END_EVENT_TYPES } from "../../../lib/contract/event.ts";
import type { CaseContext, HostileCase } from "../hostile-case.ts";
import type { ApiClient } from "../servers/api-client.ts";
import { waitUntil } from "../servers/environment.ts";
import { plantLocks } from "./plant-locks.ts";

const CONNECTIONS = 4;
const NAME_BYTES = 900;
const FILTER_LETTERS = 270;
const RECORD_MS_MAX = 20_000;

const createName = (index: number) => `lock:${index}:`.padEnd(NAME_BYTES, "a");

async function plantFilteredLocks(context: CaseContext): Promise<string[]> {
  const keys = Array.from({ length: context.sizes.filteredLocks }, (_, index) => createName(index));
  await plantLocks(context, keys);
  return keys;
}

/**
 * Waits until the history contains the end of the last deleted lock, because the case measures only searches and not
 * the recording of events.
 */
async function waitForEnd({ keys, over }: CaseContext, key: string): Promise<void> {
  const isRecorded = async () => {
    const { body } = await keys.root.get(`/locks/${encodeURIComponent(key)}/history?limit=1`);
    return END_EVENT_TYPES.has(body?.items?.[0]?.type);
  };
  await waitUntil(isRecorded, RECORD_MS_MAX, "The end of the planted locks is not recorded", over);
}

/** Sends queries over all connections, each as soon as the previous response has arrived. */
async function storm(
  reader: ApiClient,
  enough: AbortSignal,
  createPath: (index: number) => string,
): Promise<readonly string[]> {
  let sent = 0;
  const work = async () => {
    while (!enough.aborted) await reader.get(createPath(sent++));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return [];
}

/** Creates text that almost matches at every position of a key name. Each index creates a different text. */
const createLiteral = (index: number) => `${"a".repeat(FILTER_LETTERS)}${index}b`;
const createStars = (index: number) => `${"*a".repeat(FILTER_LETTERS / 4)}*${index}b`;

export const FILTER_STORM: HostileCase = {
  name: "filter-storm",
  finding: "F10",
  plant: async (context) => void (await plantFilteredLocks(context)),
  attack: ({ keys, enough }) =>
    storm(keys.reader, enough, (index) => {
      const pattern = index % 2 === 0 ? createLiteral(index) : createStars(index);
      return `/locks?limit=1&filter=${encodeURIComponent(`key:*${pattern}`)}`;
    }),
};

export const HISTORY_STORM: HostileCase = {
  name: "history-storm",
  finding: "F8, F10",
  async plant(context) {
    const keys = await plantFilteredLocks(context);
    await context.redis.del(...keys);
    await waitForEnd(context, keys.at(-1) ?? "");
  },
  attack: ({ keys, enough }) =>
    storm(
      keys.reader,
      enough,
      (index) => `/history?limit=1&key=${encodeURIComponent(`*${createStars(index)}`)}`,
    ),
};
