import type { HostileCase } from "../hostile-case.ts";
import { GARBAGE_COMPANION, LONG_COMPANION } from "./companions.ts";
import { FORGED_EVENTS, LARGE_MESSAGES } from "./events.ts";
import { LOCK_FLOOD } from "./flood.ts";
import { CHANGED_LARGE_HASH, LARGE_HASH } from "./hashes.ts";
import { BULL_KEY_NAME, CACHE_KEY_NAME, SHORT_LIVED_KEYS, TOOZ_KEY_NAME } from "./key-names.ts";
import { LARGE_ELEMENTS, LARGE_STRING } from "./large-values.ts";
import { FILTER_STORM, HISTORY_STORM } from "./queries.ts";
import { POLLING_STREAMS, SNAPSHOT_READERS } from "./streams.ts";

export const CASES: readonly HostileCase[] = [
  LARGE_HASH,
  CHANGED_LARGE_HASH,
  LARGE_STRING,
  LARGE_ELEMENTS,
  BULL_KEY_NAME,
  CACHE_KEY_NAME,
  TOOZ_KEY_NAME,
  SHORT_LIVED_KEYS,
  LONG_COMPANION,
  GARBAGE_COMPANION,
  FORGED_EVENTS,
  LARGE_MESSAGES,
  FILTER_STORM,
  HISTORY_STORM,
  SNAPSHOT_READERS,
  POLLING_STREAMS,
  LOCK_FLOOD,
];
