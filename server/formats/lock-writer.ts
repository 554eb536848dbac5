import type { WritableFormat, WritableKind } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import type { Script } from "../redis/script.ts";
import { computeCompanionMs, formatOwnerLines } from "./companion.ts";
import { buildRestoreKeys } from "./condition-keys.ts";
import { HoldWriter, type ScriptArguments } from "./hold-writer.ts";
import { buildFencedCounterKey, buildTokenChannel, buildWaitersKey, buildWakeChannel } from "./keys.ts";
import type { AcquireRequest, ForceReleaseRequest, ReleaseRequest, WaitRequest } from "./lock-requests.ts";
import { NO_SIGNALS, runOrRetryWithout } from "./release-signals.ts";
import {
  type AcquireReply,
  type ForceReleaseReply,
  parseAcquireReply,
  parseBatchReply,
  parseForceReleaseReply,
  parseReleaseReply,
  type ReleaseReply,
} from "./script-replies.ts";
import { type StopWaitingRequest, stopWaiting } from "./stop-waiting.ts";
import { type BatchableVerb, VerbBatches } from "./verb-batches.ts";

type Keys = ScriptArguments;

/** The additional keys and arguments of the scripts for one kind of lock. */
export interface KindPart {
  readonly keys: readonly RedisArgument[];
  readonly arguments: readonly RedisArgument[];
}

const NO_PART: KindPart = { keys: [], arguments: [] };

/**
 * Runs the verbs on locks of one format and kind. The folder `redisson` contains the writers for kinds other than
 * `lock`.
 */
export class LockWriter extends HoldWriter {
  readonly #acquire: Script<Keys, Keys, AcquireReply>;
  readonly #release: Script<Keys, Keys, ReleaseReply>;
  readonly #forceRelease: Script<Keys, Keys, ForceReleaseReply>;
  readonly #batches: VerbBatches | undefined;

  /**
   * @param scripts the folder with the scripts. It contains a folder for each format, which contains a folder for each
   * kind except `lock`
   */
  constructor(
    name: WritableFormat,
    kind: WritableKind = "lock",
    scripts: URL = new URL("./", import.meta.url),
  ) {
    super(name, kind, scripts);
    this.#acquire = this.loadVerb("acquire", parseAcquireReply);
    this.#release = this.loadVerb("release", parseReleaseReply);
    this.#forceRelease = this.loadVerb("force-release", parseForceReleaseReply);
    const hasFastPath = name !== "timestamp" && kind === "lock";
    // Without a fast path, a batch would save little.
    this.#batches = hasFastPath ? new VerbBatches(this.loadVerb("batch", parseBatchReply)) : undefined;
  }

  /** Returns the name of the channel on which the waiters of a lock listen. */
  buildWakeChannel(key: Key): RedisArgument {
    return buildWakeChannel(key);
  }

  stopWaiting(redis: Commands, channel: string, key: Key, waiter: StopWaitingRequest): Promise<void> {
    return stopWaiting(redis, channel, key, waiter);
  }

  /** Whether a lock of this kind can have several holders at the same time. */
  get isShared(): boolean {
    return false;
  }

  /**
   * Builds the keys and arguments of an acquire that are specific to the kind of lock. The scripts expect the keys
   * after the key of the waiters, and the arguments after the arguments for a plain lock.
   */
  protected buildAcquirePart(_redis: Commands, _key: Key, _ask: AcquireRequest): KindPart {
    return NO_PART;
  }

  /** Builds the additional keys and arguments of a release: by default, the signals for waiters of other libraries. */
  protected buildReleasePart(_key: Key, { signals = NO_SIGNALS }: ReleaseRequest): KindPart {
    return { keys: signals.keys, arguments: signals.messages };
  }

  acquire(
    redis: Commands,
    channel: string,
    key: Key,
    ask: AcquireRequest,
    waiting?: WaitRequest,
  ): Promise<AcquireReply> {
    const { token, leaseMs, id, digest } = ask;
    const keys = [...this.buildKeys(key, token), buildFencedCounterKey(key)];
    const request: Keys = [
      token,
      leaseMs,
      id,
      digest,
      channel,
      formatOwnerLines(ask),
      computeCompanionMs(leaseMs),
    ];
    if (this.kind === "lock" && hasFastPath(ask) && waiting === undefined)
      return this.#runFastPath(redis, { name: "acquire", script: this.#acquire, keys, arguments: request });
    keys.push(buildWaitersKey(key));
    request.push(waiting?.waitMs ?? "", waiting?.sinceMs ?? "", waiting?.waitersMax ?? "");
    request.push(ask.retryMs ?? "", ask.graceMs, ask.minHoldMs, ask.unit, waiting?.giveWayMs ?? "");
    const part = this.buildAcquirePart(redis, key, ask);
    keys.push(...part.keys);
    request.push(...part.arguments);
    if (ask.restores !== undefined) {
      keys.push(...buildRestoreKeys(key));
      // Placeholders for arguments that only other kinds of locks or verbs use.
      if (this.kind === "lock") request.push("", id, "", "", "");
      request.push(ask.restores);
    }
    return this.#acquire.run(redis, keys, request);
  }

  #runFastPath<Reply>(redis: Commands, verb: BatchableVerb<Reply>): Promise<Reply> {
    return this.#batches?.run(redis, verb) ?? verb.script.run(redis, verb.keys, verb.arguments);
  }

  release(redis: Commands, channel: string, key: Key, ask: ReleaseRequest): Promise<ReleaseReply> {
    const { token, fence, id, digest, principal, acquiredBy, counts, retryMs, reservation } = ask;
    const part = this.buildReleasePart(key, ask);
    const pair = this.buildKeys(key, token);
    const request: RedisArgument[] = [
      token,
      fence ?? "",
      principal ?? "",
      id,
      digest,
      ask.wakes === "none" ? "" : this.buildWakeChannel(key),
      channel,
    ];
    const isPlain =
      this.kind === "lock" && [acquiredBy, counts, retryMs, reservation].every((each) => each === undefined);
    if (!isPlain || part.keys.length + part.arguments.length > 0 || redis.publishesSharded) {
      request.push(acquiredBy ?? "", String(retryMs ?? ""));
      request.push(String(reservation?.reservedMs ?? ""), reservation?.owner ?? "");
      request.push(formatShardedFlag(redis), counts === "all" ? "1" : "", ...part.arguments);
    } else if (ask.wakes !== "none") {
      const plain = { script: this.#release, keys: pair, arguments: request };
      return this.#runFastPath(redis, { name: "release", ...plain });
    }
    // A hand-over is never batched, because the acquire that follows it on the connection must get the lock.
    return runOrRetryWithout((list) => this.#release.run(redis, [...pair, ...list], request), part.keys);
  }

  /**
   * Force-releases the hold that `ask` identifies, or reserves the lock.
   *
   * @param beside additional keys. For `redisson`: the fair queue, its timeouts and its heartbeats, which the script
   * uses to wake the first waiter. For `token`: the list on which waiters of other libraries block
   * @param messages channels of other libraries' waiters and their messages, alternating
   */
  forceRelease(
    redis: Commands,
    channel: string,
    key: Key,
    ask: ForceReleaseRequest,
    beside: readonly RedisArgument[] = [],
    messages: readonly RedisArgument[] = [],
  ): Promise<ForceReleaseReply> {
    return this.#forceRelease.run(
      redis,
      [...this.buildKeys(key, ask.token), ...beside],
      [
        ask.token,
        ask.fence ?? "",
        JSON.stringify({ by: ask.by, reason: ask.reason }),
        this.buildWakeChannel(key),
        channel,
        ask.reservation?.reservedMs ?? "",
        ask.reservation?.owner ?? "",
        formatShardedFlag(redis),
        ask.fence === null ? "" : (buildTokenChannel(ask.token) ?? ""),
        ...messages,
      ],
    );
  }
}

/** Returns the script argument `"1"` if wake-ups must also be sent with SPUBLISH; otherwise returns an empty string. */
export const formatShardedFlag = ({ publishesSharded }: Commands) => (publishesSharded ? "1" : "");

/** Whether the request uses the defaults of all optional script arguments, so that these can be omitted. */
function hasFastPath({ retryMs, graceMs, minHoldMs, unit, restores }: AcquireRequest): boolean {
  const isNew = retryMs === undefined && restores === undefined;
  return isNew && graceMs === 0 && minHoldMs === 0 && unit === "ms";
}

/** The writers of plain locks, one for each format that Lockkeeper writes. */
export const LOCK_WRITERS: Readonly<Record<WritableFormat, LockWriter>> = {
  redisson: new LockWriter("redisson"),
  token: new LockWriter("token"),
  timestamp: new LockWriter("timestamp"),
};
