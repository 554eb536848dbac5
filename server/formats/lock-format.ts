import type { FormatName } from "../../lib/contract/format.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import type { DetectedLock, HeldObservation, LockType, SeenHolder } from "./observation.ts";
import type { QueueReader, ReadCommand } from "./queue-reader.ts";
import type { RawKey } from "./raw-key.ts";
import type { ForceReleaseReply } from "./script-replies.ts";

/**
 * `by_shape`: nothing is known but what is read. `by_rule`: an operator said that keys of this name are of this format,
 * so only what contradicts it counts.
 */
export type DetectionBasis = "by_shape" | "by_rule";

/** `lockable`: the API may acquire the key, so whatever blocks an acquire is a lock. `watched`: it is read only. */
export type KeyReach = "lockable" | "watched";

/** Who is freed, on whose word, and whether the lock is reserved after it. */
export interface ForceReleaseParams {
  /** One of several holders; undefined: the lock as a whole. */
  readonly holder: SeenHolder | undefined;
  readonly by: string;
  readonly reason: string;
  readonly reservation?: { readonly owner: string; readonly reservedMs: number } | undefined;
}

/** What else has to be asked about a lock, in one more round trip for all locks of a batch. */
export interface DetailReader {
  /** Commands that only read. */
  buildCommands(seen: HeldObservation): readonly ReadCommand[];
  /** Channels whose listeners are counted. */
  buildChannels?(seen: HeldObservation): readonly RedisArgument[];
  /**
   * @param answers one a command, its texts as bytes; undefined where it was refused
   * @param listeners one a channel; empty where they cannot be counted
   */
  applyAnswers(
    seen: HeldObservation,
    answers: readonly unknown[],
    listeners: readonly number[],
  ): HeldObservation;
}

export type FormatReleaseTerms =
  | { readonly oneHolder?: boolean; readonly reservable?: boolean; readonly why?: string }
  | { readonly never: { readonly why: string; readonly instead: string } };

/** How locks of one format are told from other keys, read, and freed as their library would. */
export interface LockFormat {
  readonly name: FormatName;
  /** A library that writes locks of several types may have one of these for each. */
  readonly types: readonly LockType[];
  detect(raw: RawKey, how: DetectionBasis): DetectedLock | undefined;
  readonly more?: DetailReader;
  /** Left out: who waits is written nowhere. */
  readonly queue?: QueueReader;
  /** Undefined: freeing does harm, and is not done. */
  readonly frees?: {
    readonly oneHolder: boolean;
    readonly reservable: boolean;
    /** Where it is not the same for all locks of the format: what is otherwise for this one. */
    readonly terms?: (seen: HeldObservation) => FormatReleaseTerms;
    /**
     * Compares, frees and wakes in one script, and tells of it on the channel for events.
     *
     * Guarantee: frees what was seen or nothing (`changed`, `gone`).
     */
    free(
      redis: Commands,
      channel: string,
      seen: HeldObservation,
      ask: ForceReleaseParams,
    ): Promise<ForceReleaseReply>;
  };
}
