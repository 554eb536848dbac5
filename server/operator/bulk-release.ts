import type {
  BulkForceInput,
  BulkItem,
  BulkItemLine,
  BulkOutcome,
} from "../../lib/contract/actions/bulk-release.ts";
import type { ErrorCode } from "../../lib/contract/error.ts";
import { type Key, keyOfFields } from "../../lib/keys/key.ts";
import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { ForbiddenError } from "../errors/request-errors.ts";
import type { KeyRange } from "../redis/glob.ts";
import type { Target } from "../targets/target.ts";
import type { Hold } from "../watch/holds/observed-hold.ts";
import { type Find, reviewed } from "./bulk-review.ts";
import { freeByForce, judge, wouldFree } from "./force-release.ts";

type Terms = Pick<BulkForceInput, "reason" | "ifUnsure" | "holdOffMs">;

export interface BulkAsk extends Terms {
  readonly by: string;
  /** Keys that the caller may free; undefined: all. */
  readonly within: KeyRange | undefined;
}

/** What became of one item; `error` where it was refused, or failed. */
export interface Done extends Pick<BulkItemLine, "outcome" | "freed" | "seen"> {
  readonly error?: unknown;
}

/** Frees one of many, compared and refused as a single one is. Never throws. */
export async function freeOne(target: Target, item: BulkItem, ask: BulkAsk): Promise<Done> {
  return await settled(async () => {
    const freed = await freeByForce(target, allowed(item, ask), { ...ask, ...item });
    return { outcome: freed.outcome, freed };
  });
}

/** What would become of an item, looked at in Redis now. Never throws. */
export async function tryOne(target: Target, item: BulkItem, ask: BulkAsk): Promise<Done> {
  const { watcher } = target;
  const key = keyOfFields(item);
  const done = await settled(async () => {
    const hold = await wouldFree(target, allowed(item, ask), { ...ask, ...item });
    return { outcome: hold === undefined ? ("already_gone" as const) : ("would_release" as const) };
  });
  const hold = done.outcome === "forbidden" ? undefined : watcher.mirror.get(key);
  return withSeen(target, done, hold, item);
}

/** What would become of a hold that a filter found, by what the picture knows. Never throws. */
export async function tryFound(target: Target, { item, hold }: Find, ask: BulkAsk): Promise<Done> {
  const done = await settled(async () => {
    allowed(item, ask);
    if (hold.seen.state === "ended") return { outcome: "already_gone" };
    judge(target.watcher, hold, { ...ask, ...item });
    return { outcome: "would_release" };
  });
  return withSeen(target, done, hold, item);
}

function withSeen({ watcher }: Target, done: Done, hold: Hold | undefined, { expect }: BulkItem): Done {
  const seen = hold && reviewed(watcher, hold, expect);
  return seen === undefined ? done : { ...done, seen };
}

function allowed(item: BulkItem, { by, within }: BulkAsk): Key {
  const key = keyOfFields(item);
  if (within?.has(key) ?? true) return key;
  throw new ForbiddenError(
    `${by} may not free this key: it has \`force\` of ${within?.patterns.join(", ")}.`,
  );
}

async function settled(run: () => Promise<Done>): Promise<Done> {
  try {
    return await run();
  } catch (error) {
    const code = error instanceof LockkeeperError ? error.code : "internal";
    return { outcome: OUTCOME_OF[code] ?? "failed", error };
  }
}

const OUTCOME_OF: Partial<Record<ErrorCode, BulkOutcome>> = {
  changed: "changed",
  unsure: "unsure",
  format_required: "format_required",
  read_only: "read_only",
  forbidden: "forbidden",
  unknown_outcome: "unknown",
};
