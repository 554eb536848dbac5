import type { FormatName } from "../../lib/contract/format.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import type { DetectedLock, HeldObservation, LockType, SeenHolder } from "./observation.ts";
import type { QueueReader, ReadCommand } from "./queue-reader.ts";
import type { RawKey } from "./raw-key.ts";
import type { ForceReleaseReply } from "./script-replies.ts";

/**
 * How the format of a key is detected. `by_shape`: only from the key and its content. `by_rule`: a configured rule
 * assigns the format, and the format applies unless the content of the key contradicts it.
 */
export type DetectionBasis = "by_shape" | "by_rule";

/**
 * What Lockkeeper is allowed to do with a key. `lockable`: the API can acquire the key, so anything that blocks an
 * acquire counts as a lock. `watched`: Lockkeeper only reads the key.
 */
export type KeyReach = "lockable" | "watched";

/** Parameters of a force-release. */
export interface ForceReleaseParams {
  /** The holder to release, if the lock has several holders; `undefined` to release the whole lock. */
  readonly holder: SeenHolder | undefined;
  readonly by: string;
  readonly reason: string;
  readonly reservation?: { readonly owner: string; readonly reservedMs: number } | undefined;
}

/** Reads additional data about locks, in one additional round trip per batch of locks. */
export interface DetailReader {
  /** Builds the read-only commands that read the additional data of a lock. */
  buildCommands(seen: HeldObservation): readonly ReadCommand[];
  /** Builds the names of the channels whose subscribers are counted. */
  buildChannels?(seen: HeldObservation): readonly RedisArgument[];
  /**
   * Returns the observation with the additional data.
   *
   * @param answers one reply per command, with strings as bytes; `undefined` if Redis refused the command
   * @param listeners number of subscribers per channel; empty if subscribers cannot be counted
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

/** A lock format: how its locks are detected, how their waiters are read, and how operators release its locks. */
export interface LockFormat {
  readonly name: FormatName;
  /** The Redis types of the locks. If a library uses several types, it can have one format per type. */
  readonly types: readonly LockType[];
  detect(raw: RawKey, how: DetectionBasis): DetectedLock | undefined;
  readonly more?: DetailReader;
  /** Reads the waiters of a lock. Omitted if Redis does not store the waiters. */
  readonly queue?: QueueReader;
  /**
   * Releases locks of this format. `undefined` if Lockkeeper never releases them, because a release would cause harm.
   */
  readonly releaser?: {
    readonly oneHolder: boolean;
    readonly reservable: boolean;
    /** Returns the release actions that a lock permits. Set only if they differ between locks of this format. */
    readonly terms?: (seen: HeldObservation) => FormatReleaseTerms;
    /**
     * Compares the lock with `seen`, releases the lock, wakes its waiters and publishes an event, in one script. If the
     * lock has changed or no longer exists, changes nothing and returns `changed` or `gone`.
     */
    forceRelease(
      redis: Commands,
      channel: string,
      seen: HeldObservation,
      ask: ForceReleaseParams,
    ): Promise<ForceReleaseReply>;
  };
}
