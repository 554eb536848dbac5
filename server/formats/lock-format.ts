import type { FormatName } from "../../lib/contract/format.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import type { DetectedLock, HeldObservation, LockType, SeenHolder } from "./observation.ts";
import type { QueueReader, ReadCommand } from "./queue-reader.ts";
import type { RawKey } from "./raw-key.ts";
import type { ForceReleaseReply } from "./script-replies.ts";

/**
 * The evidence for a format. `by_shape`: key and content only. `by_rule`: a configured rule assigns this format to the
 * key, so only contradictions matter.
 */
export type DetectionBasis = "by_shape" | "by_rule";

/** `lockable`: the API may acquire the key, so anything that blocks an acquire is a lock. `watched`: read only. */
export type KeyReach = "lockable" | "watched";

/** Parameters of a force-release: the holder, the actor, and whether the lock is reserved afterwards. */
export interface ForceReleaseParams {
  /** One of several holders; undefined: the whole lock. */
  readonly holder: SeenHolder | undefined;
  readonly by: string;
  readonly reason: string;
  readonly reservation?: { readonly owner: string; readonly reservedMs: number } | undefined;
}

/** Reads further data of a lock, in one more round trip for all locks of a batch. */
export interface DetailReader {
  /** Commands that only read. */
  buildCommands(seen: HeldObservation): readonly ReadCommand[];
  /** Channels whose subscribers are counted. */
  buildChannels?(seen: HeldObservation): readonly RedisArgument[];
  /**
   * @param answers one per command, with texts as bytes; undefined where it was refused
   * @param listeners one count per channel; empty if they cannot be counted
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

/** Detects, reads and releases the locks of one format as its library does. */
export interface LockFormat {
  readonly name: FormatName;
  /** A library that writes locks of several types can have one format per type. */
  readonly types: readonly LockType[];
  detect(raw: RawKey, how: DetectionBasis): DetectedLock | undefined;
  readonly more?: DetailReader;
  /** Left out: Redis does not store the waiters. */
  readonly queue?: QueueReader;
  /** Undefined: locks of this format are never released, because that would do harm. */
  readonly releaser?: {
    readonly oneHolder: boolean;
    readonly reservable: boolean;
    /** The terms of one lock, if they differ between the locks of the format. */
    readonly terms?: (seen: HeldObservation) => FormatReleaseTerms;
    /**
     * Compares, releases, wakes waiters and publishes an event in one script.
     *
     * Guarantee: releases the lock that was seen, or nothing (`changed`, `gone`).
     */
    forceRelease(
      redis: Commands,
      channel: string,
      seen: HeldObservation,
      ask: ForceReleaseParams,
    ): Promise<ForceReleaseReply>;
  };
}
