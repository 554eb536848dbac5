import type { LoginInput, Session } from "@/lib/contract/accounts/session.ts";
import type { ForceReleased, ForceReleaseInput } from "@/lib/contract/actions/force-release.ts";
import type { FormatRule, Formats } from "@/lib/contract/detection/format-rule.ts";
import type { FinderReport } from "@/lib/contract/detection/lock-finder.ts";
import type { RulePreview } from "@/lib/contract/detection/rule-preview.ts";
import type { History, HistoryOrder } from "@/lib/contract/event.ts";
import type { RawLock } from "@/lib/contract/raw-lock.ts";
import type { TypicalTimes } from "@/lib/contract/stats.ts";
import type { TargetHealth } from "@/lib/contract/target.ts";

import { requestJson, sendRequest, type TargetName, withTarget } from "./request.ts";

/** Reads the typical hold and wait times of the key pattern to which the lock belongs. */
export function getTypicalDurations(path: string, target: TargetName): Promise<TypicalTimes> {
  return requestJson(sendRequest("GET", withTarget(`/locks/${path}/typical`, target)), (wire, json) =>
    wire.readTypicalDurations(json),
  );
}

/** Reads the raw content of a lock's key in Redis. */
export function getRawLock(path: string, target: TargetName): Promise<RawLock> {
  return requestJson(sendRequest("GET", withTarget(`/locks/${path}/raw`, target)), (wire, json) =>
    wire.readRawLock(json),
  );
}

export function getTargetHealth(name: string): Promise<TargetHealth> {
  return requestJson(sendRequest("GET", `/targets/${encodeURIComponent(name)}`), (wire, json) =>
    wire.readTargetHealth(json),
  );
}

/**
 * Reads a page of a lock's history.
 *
 * @param cursor `next` of the previous page
 * @param at time in Unix milliseconds; if set, the response also contains the holds at that time
 */
export function getHistory(path: string, target: TargetName, cursor?: string, at?: number): Promise<History> {
  const address = withTarget(`/locks/${path}/history`, target, { cursor, at: at?.toString() });
  return requestJson(sendRequest("GET", address), (wire, json) => wire.readHistory(json));
}

/** A filter for the events in a target's history. */
export interface HistoryFilter {
  readonly text: string;
  /** Event types to read, in addition to gaps. Empty for all types. */
  readonly types: readonly string[];
  /** Start of the period (inclusive), in Unix milliseconds on the Redis clock. `to` is the end, also inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The order, start and maximum size of a page of a target's history. */
export interface HistoryPageRequest {
  readonly order: HistoryOrder;
  /**
   * `next` of the previous page, or the id of the entry that precedes the page in the given order. `undefined` for the
   * first page.
   */
  readonly cursor?: string | undefined;
  /** The maximum number of entries. */
  readonly limit: number;
}

export function getTargetHistory(
  view: HistoryFilter,
  part: HistoryPageRequest,
  target: TargetName,
): Promise<History> {
  const { text, types, from, to } = view;
  const { order, cursor, limit } = part;
  const type = types.length === 0 ? undefined : [...types, "gap"].join(",");
  const span = { from: from?.toString(), to: to?.toString() };
  const query = { text: text || undefined, type, ...span, order, cursor, limit: limit.toString() };
  const address = withTarget("/history", target, query);
  return requestJson(sendRequest("GET", address), (wire, json) => wire.readHistory(json));
}

export function forceRelease(
  path: string,
  input: ForceReleaseInput,
  target: TargetName,
): Promise<ForceReleased> {
  return requestJson(
    sendRequest("POST", withTarget(`/locks/${path}/force-release`, target), input),
    (wire, json) => wire.readForceReleased(json),
  );
}

export function getFinderReport(target: TargetName): Promise<FinderReport> {
  return requestJson(sendRequest("GET", withTarget("/finder", target)), (wire, json) =>
    wire.readFinderReport(json),
  );
}

/**
 * Starts a search of the lock finder, or resumes the last search if it was cancelled or failed and no Redis server has
 * restarted since it began. Has no effect while a search is running.
 */
export function startFinder(target: TargetName): Promise<FinderReport> {
  return requestJson(sendRequest("POST", withTarget("/finder", target), {}), (wire, json) =>
    wire.readFinderReport(json),
  );
}

export function cancelFinder(target: TargetName): Promise<FinderReport> {
  return requestJson(sendRequest("POST", withTarget("/finder/cancel", target)), (wire, json) =>
    wire.readFinderReport(json),
  );
}

export function getFormats(target: TargetName): Promise<Formats> {
  return requestJson(sendRequest("GET", withTarget("/formats", target)), (wire, json) =>
    wire.readFormats(json),
  );
}

/** Replaces all format rules except the rules from the configuration, which cannot be changed through the API. */
export function replaceRules(rules: readonly FormatRule[], target: TargetName): Promise<Formats> {
  return requestJson(sendRequest("PUT", withTarget("/formats/rules", target), { rules }), (wire, json) =>
    wire.readFormats(json),
  );
}

/** Returns the effect that the rules would have, without changing any rule. */
export function previewRules(rules: readonly FormatRule[], target: TargetName): Promise<RulePreview> {
  return requestJson(
    sendRequest("POST", withTarget("/formats/rules/preview", target), { rules }),
    (wire, json) => wire.readRulesPreview(json),
  );
}

export function login(input: LoginInput): Promise<Session> {
  return requestJson(sendRequest("POST", "/login", input), (wire, json) => wire.readSession(json));
}
