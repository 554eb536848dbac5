import { type Key, parseKeyPath } from "../../../lib/keys/key.ts";
import { InvalidHoldIdError } from "../../errors/lock-errors.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import { parseHoldId, type TargetHoldRef } from "../../formats/hold-id.ts";
import type { RouteMatch } from "./route-table.ts";

/** Maximum length of an `{id}` in a path, in characters. All ids that Lockkeeper creates or accepts are shorter. */
const ID_CHARACTERS_MAX = 256;

/** The decoded path parameters of a request, and the name of its target. */
export interface PathParameters {
  /**
   * Name of the target from the path, the `holdId` or the query, or the name of the default target. A target with this
   * name might not exist. `undefined` if the route has no target.
   */
  readonly target: string | undefined;
  readonly key: Key | undefined;
  readonly hold: TargetHoldRef | undefined;
  /** The `{id}` in the path, or an empty string if the path has none. */
  readonly id: string;
}

/**
 * Reads the parameters in the path of a request. A `holdId` in the path determines the target and the key.
 *
 * @throws LockkeeperError invalid, invalid_hold_id
 */
export function readPathParameters(
  { entry, segments }: RouteMatch,
  query: URLSearchParams,
  defaultTarget: string,
): PathParameters {
  const { route, keyAt, idAt, holdAt, targetAt } = entry;
  const id = idAt < 0 ? "" : decodeSegment(segments[idAt] ?? "");
  if (id.length > ID_CHARACTERS_MAX)
    throw new InvalidError(`Path: the id must have at most ${ID_CHARACTERS_MAX} characters.`, {});
  if (holdAt >= 0) {
    const hold = parseHoldSegment(segments[holdAt] ?? "");
    assertSameTarget(hold, query.get("target"));
    return { target: hold.target, key: hold.key, hold, id };
  }
  const key = keyAt < 0 ? undefined : parseKeySegment(segments[keyAt] ?? "");
  if (route.scope === "server") return { target: undefined, key, hold: undefined, id };
  const target =
    targetAt < 0 ? (query.get("target") ?? defaultTarget) : decodeSegment(segments[targetAt] ?? "");
  return { target, key, hold: undefined, id };
}

function assertSameTarget(hold: TargetHoldRef, requested: string | null): void {
  if (requested === null || requested === hold.target) return;
  throw new InvalidHoldIdError(
    `The holdId belongs to the target ${JSON.stringify(hold.target)}, but the query has ${JSON.stringify(requested.slice(0, 100))}. Omit \`target\`: the holdId contains it.`,
  );
}

function parseHoldSegment(segment: string): TargetHoldRef {
  const hold = parseHoldId(decodeText(segment) ?? "");
  if (hold !== undefined) return hold;
  throw new InvalidHoldIdError("The holdId in the path is not a holdId returned by acquire.");
}

function parseKeySegment(segment: string): Key {
  const parsed = parseKeyPath(segment);
  if (!parsed.ok) throw new InvalidError(`Path: ${parsed.why}.`, { field: "key" });
  return parsed.key;
}

function decodeSegment(segment: string): string {
  const text = decodeText(segment);
  if (text === undefined) throw new InvalidError("The path is not percent-encoded UTF-8.", {});
  return text;
}

function decodeText(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
