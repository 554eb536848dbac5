import type { WritableFormat, WritableKind } from "../../lib/contract/format.ts";
import { formatKey, type Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { Script, toRedisArgument } from "../redis/script.ts";
import { computeCompanionMs, formatOwnerLines } from "./companion.ts";
import { buildRestoreKeys } from "./condition-keys.ts";
import {
  buildFairKeys,
  buildFencedCounterKey,
  buildHolderCompanionKey,
  buildTokenChannel,
  buildWaitersKey,
} from "./keys.ts";
import {
  buildHoldKeyPair,
  buildKindWakeChannel,
  buildReadWriteKeys,
  formatWaiterId,
  isReadWrite,
} from "./kind-keys.ts";
import {
  type AcquireRequest,
  type AgreedHold,
  type DowngradeRequest,
  type ExtendRequest,
  FAIR_WAIT_MS,
  type ForceReleaseRequest,
  type HoldIdentity,
  type HoldRenewal,
  type LockRequest,
  type OwnHold,
  type ReleaseRequest,
  type RenewRequest,
  type WaitRequest,
} from "./lock-requests.ts";
import {
  type AnswerReply,
  parseAnswerReply,
  parseRequestReleaseReply,
  type ReleaseAnswerParams,
  type ReleaseRequestParams,
  type RequestReleaseReply,
} from "./release-request.ts";
import { NO_SIGNALS, runOrRetryWithout } from "./release-signals.ts";
import {
  type AcquireReply,
  type DowngradeReply,
  type ExtendReply,
  type ForceReleaseReply,
  isAgreedReply,
  parseAcquireReply,
  parseBatchReply,
  parseDowngradeReply,
  parseExtendReply,
  parseForceReleaseReply,
  parseReleaseReply,
  parseRenewManyReply,
  parseRenewReply,
  parseVerifyReply,
  type ReleaseReply,
  type RenewReply,
  type VerifyReply,
} from "./script-replies.ts";
import { type StopWaitingRequest, stopWaiting } from "./stop-waiting.ts";
import { type BatchableVerb, VerbBatches } from "./verb-batches.ts";

type Keys = RedisArgument[];

/**
 * Runs the verbs on locks of one format and kind. All share one Lua file per verb; the `storage.lua` of the format, or of
 * its kind, reads and writes the content of the key.
 */
export class LockWriter {
  readonly #acquire: Script<Keys, Keys, AcquireReply>;
  readonly #reenter: Script<Keys, Keys, RenewReply>;
  readonly #renew: Script<Keys, Keys, RenewReply>;
  readonly #verify: Script<Keys, Keys, VerifyReply>;
  readonly #renewMany: Script<Keys, Keys, (RenewReply | Error)[]>;
  readonly #release: Script<Keys, Keys, ReleaseReply>;
  readonly #forceRelease: Script<Keys, Keys, ForceReleaseReply>;
  readonly #extend: Script<Keys, Keys, ExtendReply>;
  readonly #requestRelease: Script<Keys, Keys, RequestReleaseReply>;
  readonly #answer: Script<Keys, Keys, AnswerReply>;
  readonly #agree: Script<Keys, Keys, boolean>;
  readonly #downgrade: Script<Keys, Keys, DowngradeReply> | undefined;
  readonly #batches: VerbBatches | undefined;

  /** @param scripts the folder of the scripts, which contains one folder per format, and in it one per further kind */
  constructor(
    readonly name: WritableFormat,
    readonly kind: WritableKind = "lock",
    scripts: URL = new URL("./", import.meta.url),
  ) {
    const folder = new URL(kind === "lock" ? `${name}/` : `${name}/${kind}/`, scripts);
    const script = <Reply>(verb: string, decode: (reply: unknown) => Reply) =>
      new Script<Keys, Keys, Reply>(new URL(`${verb}.lua`, scripts), decode, folder);
    this.#acquire = script("acquire", parseAcquireReply);
    this.#reenter = script("reenter", parseRenewReply);
    this.#renew = script("renew", parseRenewReply);
    this.#verify = script("verify", parseVerifyReply);
    this.#renewMany = script("renew-many", parseRenewManyReply);
    this.#release = script("release", parseReleaseReply);
    this.#forceRelease = script("force-release", parseForceReleaseReply);
    this.#extend = script("extend", parseExtendReply);
    this.#requestRelease = script("request-release", parseRequestReleaseReply);
    this.#answer = script("answer-release-request", parseAnswerReply);
    this.#agree = script("agree", isAgreedReply);
    if (kind === "write") this.#downgrade = script("redisson/write/downgrade", parseDowngradeReply);
    // Without a fast path, a batch would save little.
    this.#batches = !this.#hasFastPath ? undefined : new VerbBatches(script("batch", parseBatchReply));
  }

  /** Builds the keys of the verbs that continue or read a hold. */
  protected buildKeys(key: Key, token: string): Keys {
    return buildHoldKeyPair(this.kind, key, token);
  }

  /** Builds the channel on which the waiters of a lock listen. */
  buildWakeChannel(key: Key): RedisArgument {
    return buildKindWakeChannel(this.kind, key);
  }

  /** Removes a waiter. */
  stopWaiting(redis: Commands, channel: string, key: Key, waiter: StopWaitingRequest): Promise<void> {
    return stopWaiting(redis, channel, key, { ...waiter, kind: this.kind });
  }

  /** Whether several holds can share a key. */
  get isShared(): boolean {
    return this.kind === "read" || this.kind === "semaphore";
  }

  get #hasFastPath(): boolean {
    return this.name !== "timestamp" && this.kind === "lock";
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
    if (this.kind === "fair") {
      keys.push(...buildFairKeys(key));
      request.push(
        "",
        ask.waiterId ?? token,
        ask.fairWaitMs ?? FAIR_WAIT_MS,
        this.buildWakeChannel(key),
        formatShardedFlag(redis),
      );
    } else if (isReadWrite(this.kind)) {
      keys.push(...buildReadWriteKeys(key));
      const role = this.kind === "write" ? "list" : ask.yieldsToWriters === false ? "" : "yield";
      request.push("", formatWaiterId(this.kind, id), role);
    }
    if (ask.restores !== undefined) {
      keys.push(...buildRestoreKeys(key));
      // A plain lock does not use the arguments of other kinds.
      if (this.kind === "lock") request.push("", id, "", "", "");
      request.push(ask.restores);
    }
    return this.#acquire.run(redis, keys, request);
  }

  #runFastPath<Reply>(redis: Commands, verb: BatchableVerb<Reply>): Promise<Reply> {
    return this.#batches?.run(redis, verb) ?? verb.script.run(redis, verb.keys, verb.arguments);
  }

  /** Re-enters a hold, which increases its count. */
  reenter(redis: Commands, channel: string, key: Key, ask: RenewRequest): Promise<RenewReply> {
    return this.#reenter.run(redis, this.buildKeys(key, ask.token), toRenewArguments(ask, channel));
  }

  renew(redis: Commands, channel: string, key: Key, ask: RenewRequest): Promise<RenewReply> {
    const receives = ask.receivesReleaseRequests === true ? "1" : "";
    const keys = this.buildKeys(key, ask.token);
    return this.#renew.run(redis, keys, [...toRenewArguments(ask, channel), receives]);
  }

  verify(
    redis: Commands,
    key: Key,
    { token, fence, principal }: HoldIdentity & Pick<LockRequest, "principal">,
  ): Promise<VerifyReply> {
    return this.#verify.read(redis, this.buildKeys(key, token), [token, fence, principal ?? ""]);
  }

  /**
   * Renews up to a hundred holds of one slot and one principal in one call. Returns the reply or the error of each. A
   * repeated call changes only the leases.
   */
  renewHolds(
    redis: Commands,
    channel: string,
    holds: readonly HoldRenewal[],
    principal = "",
  ): Promise<(RenewReply | Error)[]> {
    const keys = holds.flatMap(({ key, token }) => this.buildKeys(key, token));
    const requests = holds.flatMap(({ token, fence, leaseMs }) => [token, fence, leaseMs ?? ""]);
    return this.#renewMany.run(redis, keys, [channel, principal, ...requests]);
  }

  /**
   * Renews up to a hundred holds of a library client. Returns the remaining time of each in ms; `null` if the hold is
   * gone, `undefined` if that is unknown.
   */
  async renewMany(
    redis: Commands,
    channel: string,
    holds: readonly OwnHold[],
  ): Promise<(number | null | undefined)[]> {
    return (await this.renewHolds(redis, channel, holds)).map(toRemainingTime);
  }

  release(redis: Commands, channel: string, key: Key, ask: ReleaseRequest): Promise<ReleaseReply> {
    const { token, fence, id, digest, principal, acquiredBy, counts, retryMs, reservation } = ask;
    const { keys, messages } = ask.signals ?? NO_SIGNALS;
    const pair = this.buildKeys(key, token);
    const request: RedisArgument[] = [
      token,
      fence ?? "",
      principal ?? "",
      id,
      digest,
      ask.wakes === "none" ? "" : buildKindWakeChannel(this.kind, key),
      channel,
    ];
    const isPlain =
      this.kind === "lock" && [acquiredBy, counts, retryMs, reservation].every((each) => each === undefined);
    if (!isPlain || keys.length + messages.length > 0 || redis.publishesSharded) {
      request.push(acquiredBy ?? "", String(retryMs ?? ""));
      request.push(String(reservation?.reservedMs ?? ""), reservation?.owner ?? "");
      request.push(formatShardedFlag(redis), counts === "all" ? "1" : "", ...messages);
    } else if (ask.wakes !== "none") {
      const plain = { script: this.#release, keys: pair, arguments: request };
      return this.#runFastPath(redis, { name: "release", ...plain });
    }
    if (this.kind === "fair") {
      request.push(ask.fairWaitMs ?? FAIR_WAIT_MS);
      return runOrRetryWithout(
        (queue) => this.#release.run(redis, [...pair, ...queue], request),
        buildFairKeys(key),
      );
    }
    // A hand-over is sent immediately, because the acquire that follows it on the connection must get the lock.
    return runOrRetryWithout((list) => this.#release.run(redis, [...pair, ...list], request), keys);
  }

  /**
   * @param beside additional keys. Redisson's fair lock: its queue and heartbeats; its head is woken and keeps its place.
   *   `token`: the list on which waiters of other libraries block
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
        buildKindWakeChannel(this.kind, key),
        channel,
        ask.reservation?.reservedMs ?? "",
        ask.reservation?.owner ?? "",
        formatShardedFlag(redis),
        ask.fence === null ? "" : (buildTokenChannel(ask.token) ?? ""),
        ...messages,
      ],
    );
  }

  /** Extends a hold; a foreign hold only if it ends when its key expires. */
  extend(redis: Commands, channel: string, key: Key, ask: ExtendRequest): Promise<ExtendReply> {
    const { token, fence, leaseMs, by, reason } = ask;
    return this.#extend.run(redis, this.buildKeys(key, formatKey(token)), [
      toRedisArgument(token),
      fence ?? "",
      leaseMs,
      JSON.stringify({ by, reason }),
      channel,
    ]);
  }

  /** Asks the client of a Lockkeeper hold to release it. */
  requestRelease(
    redis: Commands,
    channel: string,
    key: Key,
    { token, fence, requestId, by, reason }: ReleaseRequestParams,
  ): Promise<RequestReleaseReply> {
    const texts = [JSON.stringify(by), JSON.stringify(reason)];
    const actor = JSON.stringify({ by, reason });
    const request = [token, fence, requestId, ...texts, channel, actor];
    return this.#requestRelease.run(redis, this.buildKeys(key, token), request);
  }

  /** Stores the answer of a client to a release request. */
  answerReleaseRequest(
    redis: Commands,
    channel: string,
    key: Key,
    { token, fence, principal, requestId, answer, text }: ReleaseAnswerParams,
  ): Promise<AnswerReply> {
    const stored = JSON.stringify(text ?? null);
    const reason = text === undefined ? "" : JSON.stringify({ reason: text });
    const request = [token, fence, principal ?? "", requestId, answer, stored, channel, reason];
    return this.#answer.run(redis, this.buildKeys(key, token), request);
  }

  /** Turns the hold of a writer into that of a reader; only for the kind `write`. */
  async downgrade(
    redis: Commands,
    channel: string,
    key: Key,
    { token, fence, principal, reader }: DowngradeRequest,
  ): Promise<DowngradeReply> {
    if (this.#downgrade === undefined) throw new Error(`A lock of the kind ${this.kind} has no downgrade`);
    const keys = [...this.buildKeys(key, token), buildHolderCompanionKey(key, reader)];
    return await this.#downgrade.run(redis, keys, [
      ...[token, fence, principal ?? "", reader],
      ...[channel, this.buildWakeChannel(key), formatShardedFlag(redis)],
    ]);
  }

  /**
   * Sets the fencing token and count of a hold to those that a quorum agreed on. Returns false if that hold has ended.
   */
  agree(redis: Commands, key: Key, { token, from, fence, count }: AgreedHold): Promise<boolean> {
    return this.#agree.run(redis, this.buildKeys(key, token), [token, from, fence, count]);
  }
}

const formatShardedFlag = ({ publishesSharded }: Commands) => (publishesSharded ? "1" : "");

function toRemainingTime(reply: RenewReply | Error): number | null | undefined {
  if (reply instanceof Error) return undefined;
  if (reply.outcome === "granted") return reply.remainingMs;
  return reply.outcome === "lost" || reply.outcome === "not_owner" ? null : undefined;
}

function toRenewArguments(
  { token, fence, principal, leaseMs, id, digest, retryMs }: RenewRequest,
  channel: string,
): Keys {
  return [token, fence, principal ?? "", leaseMs ?? "", id, digest, channel, retryMs ?? ""];
}

/** Whether a request uses the defaults of the scripts, so that their optional arguments can be omitted. */
function hasFastPath({ retryMs, graceMs, minHoldMs, unit, restores }: AcquireRequest): boolean {
  const isNew = retryMs === undefined && restores === undefined;
  return isNew && graceMs === 0 && minHoldMs === 0 && unit === "ms";
}

/** The writer of plain locks in each format that Lockkeeper writes. */
export const LOCK_WRITERS: Readonly<Record<WritableFormat, LockWriter>> = {
  redisson: new LockWriter("redisson"),
  token: new LockWriter("token"),
  timestamp: new LockWriter("timestamp"),
};
