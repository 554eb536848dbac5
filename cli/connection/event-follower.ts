import { setTimeout as sleep } from "node:timers/promises";
import { HistoryEntry } from "../../lib/contract/event.ts";
import { CliError } from "../output/cli-error.ts";
import type { ServerApi } from "./server-api.ts";
import { describeNetworkError } from "./server-diagnosis.ts";
import { parseSse, type SseMessage } from "./sse-parser.ts";

/** Maximum time without data in ms, after which the connection counts as lost. The server sends a comment every 5 s. */
const SILENCE_MS_MAX = 15_000;
const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 10_000;
const SERVER_ERROR_MIN = 500;
const TOO_MANY_REQUESTS = 429;

export interface EventFilterQuery {
  readonly key?: string | undefined;
  readonly owner?: string | undefined;
  readonly type?: string | undefined;
}

export interface FollowOptions {
  readonly filter: EventFilterQuery;
  /** Id of the event after which the stream starts. `undefined` to start with new events. */
  readonly position: string | undefined;
  onEvent(entry: HistoryEntry): void;
  /** Called with a sentence for the user when the connection is lost or restored, or when events might be missing. */
  onNotice(text: string): void;
}

/**
 * Follows the event stream of a server. If the connection is lost, reconnects and resumes after the last event. Never
 * resolves.
 *
 * @throws CliError if the server refuses the stream and a retry would not help
 */
export async function followEvents(api: ServerApi, options: FollowOptions): Promise<never> {
  const { onNotice } = options;
  const state: StreamState = { lastId: options.position, isConnected: false, hasNotice: false };
  for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(PAUSE_MAX_MS, 2 * pauseMs)) {
    const reason = await readStream(api, state, options);
    if (state.isConnected) pauseMs = PAUSE_MIN_MS;
    if (!state.hasNotice) onNotice(`Connection lost (${reason}). Reconnecting…`);
    state.hasNotice = true;
    state.isConnected = false;
    await sleep(pauseMs);
  }
}

interface StreamState {
  /** Id of the last message, from which the stream resumes. */
  lastId: string | undefined;
  /** Whether the current connection has delivered a message. */
  isConnected: boolean;
  /** Whether the current loss of the connection has been reported to `onNotice`. */
  hasNotice: boolean;
}

/** Reads the stream until the connection ends. @returns why the connection ended @throws CliError */
async function readStream(api: ServerApi, state: StreamState, options: FollowOptions): Promise<string> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX);
  const headers: Record<string, string> = state.lastId === undefined ? {} : { "last-event-id": state.lastId };
  try {
    const query = { ...options.filter };
    const response = await api.openStream({ path: "/events", query }, headers, silence.signal);
    if (!response.ok) return await handleRefusal(api, response);
    if (response.body === null) return "empty response";
    for await (const message of parseSse(response.body)) {
      timer.refresh();
      if (!state.isConnected && state.hasNotice) options.onNotice("Connected again.");
      state.isConnected = true;
      state.hasNotice = false;
      handleMessage(message, state, options);
    }
    return "the server closed the stream";
  } catch (error) {
    if (error instanceof CliError) throw error;
    return silence.signal.aborted ? `no data for ${SILENCE_MS_MAX / 1000} s` : describeNetworkError(error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Handles a response that refuses the stream.
 *
 * @returns the reason, if a retry may succeed
 * @throws CliError if a retry would not help
 */
async function handleRefusal(api: ServerApi, response: Response): Promise<string> {
  const { status } = response;
  if (status >= SERVER_ERROR_MIN || status === TOO_MANY_REQUESTS) {
    await response.body?.cancel();
    return `HTTP ${status}`;
  }
  throw await api.explainRefusal(response, "/events");
}

function handleMessage({ id, name, data }: SseMessage, state: StreamState, options: FollowOptions): void {
  if (name === "reset")
    options.onNotice("The server does not know the last event. Events since then may be missing.");
  if (name === "gap" && id === undefined)
    options.onNotice("Events after the last one are no longer stored and are missing.");
  else if (data !== "" && name !== "hello" && name !== "snapshot" && name !== "reset") {
    const { data: entry } = HistoryEntry.safeParse(parseJson(data));
    if (entry !== undefined) options.onEvent(entry);
  }
  if (id !== undefined) state.lastId = id;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
