import type { Sessions } from "../auth/sessions.ts";
import type { Journal } from "../history/journal.ts";
import type { Locks } from "../locks/locks.ts";
import type { RuleBook } from "../watch/rule-book.ts";
import type { Watcher } from "../watch/watcher.ts";
import type { Authentication } from "./authentication.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { OpenStreams } from "./sse.ts";

/** What the routes are made of. */
export interface Services {
  readonly locks: Locks;
  readonly watcher: Watcher;
  readonly journal: Journal;
  readonly rules: RuleBook;
  readonly sessions: Sessions;
  readonly authentication: Authentication;
  readonly live: LiveStreams;
  readonly streams: OpenStreams;
}
