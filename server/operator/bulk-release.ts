import type {
  BulkForceReleaseInput,
  BulkItem,
  BulkItemLine,
  BulkOutcome,
} from "../../lib/contract/actions/bulk-release.ts";
import type { LibraryErrorCode } from "../../lib/contract/error.ts";
import { type Key, parseKeyFields } from "../../lib/keys/key.ts";
import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { ForbiddenError } from "../errors/request-errors.ts";
import type { KeyPatternSet } from "../redis/glob.ts";
import type { Target } from "../targets/target.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import { type FoundHold, toReviewedHold } from "./bulk-review.ts";
import { forceReleaseLock } from "./force-release.ts";
import { assertReleasable, findReleasableHold } from "./seen-hold.ts";

type BulkReleaseTerms = Pick<BulkForceReleaseInput, "reason" | "onUnverified" | "reservedMs">;

export interface BulkReleaseArgs extends BulkReleaseTerms {
  readonly by: string;
  /** Keys whose locks the caller may force-release. `undefined` for all keys. */
  readonly allowedKeys: KeyPatternSet | undefined;
}

/** The result of one item. `error` is set if the item was refused or failed. */
export interface ItemResult extends Pick<BulkItemLine, "outcome" | "result" | "seen"> {
  readonly error?: unknown;
}

/**
 * Force-releases the hold that a bulk item identifies. Applies the same checks as a single force-release, and also
 * refuses unlisted locks. Never throws.
 */
export async function forceReleaseItem(
  target: Target,
  item: BulkItem,
  request: BulkReleaseArgs,
): Promise<ItemResult> {
  return await captureResult(async () => {
    const released = await forceReleaseLock(target, requireAllowedKey(item, request), {
      ...{ ...request, ...item },
      scope: "bulk",
    });
    return { outcome: released.outcome, result: released };
  });
}

/** Determines the result that a force-release of a bulk item would have. Reads the lock from Redis. Never throws. */
export async function previewItem(
  target: Target,
  item: BulkItem,
  request: BulkReleaseArgs,
): Promise<ItemResult> {
  const { watcher } = target;
  const key = parseKeyFields(item);
  const done = await captureResult(async () => {
    const hold = await findReleasableHold(target, requireAllowedKey(item, request), {
      ...{ ...request, ...item },
      scope: "bulk",
    });
    return { outcome: hold === undefined ? ("already_gone" as const) : ("would_release" as const) };
  });
  const hold = done.outcome === "forbidden" ? undefined : watcher.index.get(key);
  return addReviewedHold(target, done, hold, item);
}

/**
 * Determines the result that a force-release would have for a hold that a filter found. Does not read from Redis. Never
 * throws.
 */
export async function previewFoundHold(
  target: Target,
  { item, hold }: FoundHold,
  request: BulkReleaseArgs,
): Promise<ItemResult> {
  const done = await captureResult(async () => {
    requireAllowedKey(item, request);
    if (hold.seen.state === "ended") return { outcome: "already_gone" };
    assertReleasable(target.watcher, hold, { ...request, ...item, scope: "bulk" });
    return { outcome: "would_release" };
  });
  return addReviewedHold(target, done, hold, item);
}

function addReviewedHold(
  { watcher }: Target,
  done: ItemResult,
  hold: ObservedHold | undefined,
  { expectedVersion }: BulkItem,
): ItemResult {
  const seen = hold && toReviewedHold(watcher, hold, expectedVersion);
  return seen === undefined ? done : { ...done, seen };
}

function requireAllowedKey(item: BulkItem, { by, allowedKeys }: BulkReleaseArgs): Key {
  const key = parseKeyFields(item);
  if (allowedKeys?.has(key) ?? true) return key;
  throw new ForbiddenError(
    `${by} cannot release this key. Its \`force\` access covers ${allowedKeys?.patterns.join(", ")}.`,
  );
}

async function captureResult(run: () => Promise<ItemResult>): Promise<ItemResult> {
  try {
    return await run();
  } catch (error) {
    const code = error instanceof LockkeeperError ? error.code : "internal";
    return { outcome: OUTCOME_BY_CODE[code] ?? "failed", error };
  }
}

const OUTCOME_BY_CODE: Partial<Record<LibraryErrorCode, BulkOutcome>> = {
  changed: "changed",
  unverified: "unverified",
  format_required: "format_required",
  read_only: "read_only",
  forbidden: "forbidden",
  unknown_outcome: "unknown",
};
