import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { UnexpectedReplyError } from "../../redis/failure.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import { buildConditionChannel, buildConditionKeys } from "../condition-keys.ts";
import type { HoldRef } from "../hold-id.ts";
import { buildCompanionKey, buildFairKeys, buildWakeChannel } from "../keys.ts";
import type { HoldIdentity, LockRequest } from "../lock-requests.ts";
import { type CurrentHold, parseRenewReply } from "../script-replies.ts";

type Keys = RedisArgument[];

/** The kinds of lock whose holders can wait for conditions. */
export type ConditionKind = "lock" | "fair";

/**
 * The state of a condition waiter. `stopped`: the waiter stopped waiting without a signal. `lost`: Redis has no record
 * of the waiter, so its hold cannot be restored.
 */
export type WaiterState = "waiting" | "signalled" | "stopped" | "lost";

/** The status of a condition waiter, as a script returns it. */
export interface WaiterStatus {
  readonly state: WaiterState;
  /** When the waiter stopped waiting for a signal, in Unix ms; `undefined` until then. */
  readonly sinceMs: number | undefined;
}

/** A hold that its client has given up to wait for a condition. The hold is restored when the wait ends. */
export interface GivenUpHold extends WaiterStatus {
  readonly outcome: "waiting";
  readonly asOf: number;
  readonly count: number;
  readonly leaseMs: number;
  readonly owner: string;
}

type RefusedReply =
  | ({ readonly outcome: "lost" } & CurrentHold)
  | { readonly outcome: "not_owner" | "request_id_reused" | "unknown" };

export type AwaitReply =
  | GivenUpHold
  | RefusedReply
  | { readonly outcome: "done"; readonly asOf: number }
  | { readonly outcome: "min_hold" }
  | { readonly outcome: "queue_full"; readonly waiting: number };

export type SignalReply =
  | RefusedReply
  | { readonly outcome: "signalled"; readonly asOf: number; readonly count: number };

/** A request from a holder to wait for a condition of its lock, or to signal the condition. */
export interface ConditionRequest extends LockRequest, HoldIdentity {
  readonly condition: string;
}

/**
 * How a script ends or suspends a wait. `stop`: ends the wait for a signal, after which the client acquires the lock
 * again. `leave`: removes the waiter. `keep`: keeps the waiter for a limited time, because the client may return.
 */
export type LeaveMode = "stop" | "leave" | "keep";

/** Runs the Lua scripts for conditions: await, signal, renew and leave. */
export class ConditionScripts {
  readonly #await: Readonly<Record<ConditionKind, Script<Keys, Keys, AwaitReply>>>;
  readonly #signal: Readonly<Record<ConditionKind, Script<Keys, Keys, SignalReply>>>;
  readonly #renew: Script<Keys, Keys, WaiterStatus[]>;
  readonly #leave: Script<Keys, Keys, WaiterStatus>;

  /** @param scripts the folder with the lock scripts */
  constructor(scripts: URL = new URL("../", import.meta.url)) {
    const file = (name: string) => new URL(`conditions/${name}.lua`, scripts);
    const forKinds = <Reply>(name: string, decode: (reply: unknown) => Reply) => ({
      lock: new Script<Keys, Keys, Reply>(file(name), decode, new URL("redisson/", scripts)),
      fair: new Script<Keys, Keys, Reply>(file(name), decode, new URL("redisson/fair/", scripts)),
    });
    this.#await = forKinds("await", parseAwaitReply);
    this.#signal = forKinds("signal", parseSignalReply);
    this.#renew = new Script(file("renew-waiters"), parseWaiterStatuses);
    this.#leave = new Script(file("leave"), parseLeaveReply);
  }

  /**
   * Gives up a hold and adds its client to the waiters for a condition.
   *
   * @param fairWaitMs the fair wait time in ms; only for a fair lock
   */
  await(
    redis: Commands,
    channel: string,
    { key, kind }: Pick<HoldRef, "key"> & { readonly kind: ConditionKind },
    { token, fence, principal, id, digest, condition, retryMs }: ConditionRequest,
    { waitersMax, fairWaitMs }: { readonly waitersMax: number; readonly fairWaitMs: number },
  ): Promise<AwaitReply> {
    const queue = kind === "fair" ? buildFairKeys(key) : [];
    return this.#await[kind].run(
      redis,
      [...buildHoldKeys(key), ...queue],
      [
        ...[token, fence, principal ?? "", id, digest, condition, waitersMax, retryMs ?? ""],
        ...[buildWakeChannel(key), channel, buildConditionChannel(key), formatShardedFlag(redis)],
        kind === "fair" ? fairWaitMs : "",
      ],
    );
  }

  /** Signals one or all of the waiters for a condition. Only the holder of the lock can signal. */
  signal(
    redis: Commands,
    { key, kind }: Pick<HoldRef, "key"> & { readonly kind: ConditionKind },
    { token, fence, principal, id, digest, condition, retryMs }: ConditionRequest,
    who: "one" | "all",
  ): Promise<SignalReply> {
    return this.#signal[kind].run(redis, buildHoldKeys(key), [
      ...[token, fence, principal ?? "", id, digest, condition, who, retryMs ?? ""],
      ...[buildConditionChannel(key), formatShardedFlag(redis)],
    ]);
  }

  /** Renews the heartbeats of condition waiters of one lock. Returns their status, in the same order as `waiters`. */
  renew(redis: Commands, key: Key, waiters: readonly string[]): Promise<WaiterStatus[]> {
    const request = [buildConditionChannel(key), formatShardedFlag(redis), ...waiters];
    return this.#renew.run(redis, buildConditionKeys(key), request);
  }

  /**
   * Ends or suspends a client's wait for a condition, as specified by `mode`. The returned status is meaningful only
   * for `stop`. For the other modes, the returned status is `lost`.
   *
   * @param keepMs time in ms for which the waiter is kept; only for `keep`
   */
  leave(redis: Commands, key: Key, waiter: string, mode: LeaveMode, keepMs = 0): Promise<WaiterStatus> {
    const request = [waiter, mode, keepMs, buildConditionChannel(key), formatShardedFlag(redis)];
    return this.#leave.run(redis, buildConditionKeys(key), request);
  }
}

const buildHoldKeys = (key: Key): Keys => [
  toRedisArgument(key),
  buildCompanionKey(key),
  ...buildConditionKeys(key),
];

const formatShardedFlag = ({ publishesSharded }: Commands) => (publishesSharded ? "1" : "");

function parseAwaitReply(reply: unknown): AwaitReply {
  const [outcome, asOf, since, count, lease, owner = ""] = toTexts(reply);
  if (outcome === "waiting" || outcome === "signalled" || outcome === "stopped") {
    const status = toStatus(outcome, since);
    return {
      outcome: "waiting",
      ...status,
      ...{ asOf: Number(asOf), count: Number(count), leaseMs: Number(lease), owner },
    };
  }
  if (outcome === "done") return { outcome, asOf: Number(asOf) };
  if (outcome === "min_hold") return { outcome };
  if (outcome === "queue_full") return { outcome, waiting: Number(since) };
  return parseRefusal(reply);
}

function parseSignalReply(reply: unknown): SignalReply {
  const [outcome, asOf, count] = toTexts(reply);
  if (outcome === "signalled") return { outcome, asOf: Number(asOf), count: Number(count) };
  return parseRefusal(reply);
}

function parseRefusal(reply: unknown): RefusedReply {
  const refused = parseRenewReply(reply);
  if (refused.outcome === "granted") throw new UnexpectedReplyError("A script of a condition granted a hold");
  return refused;
}

function parseWaiterStatuses(reply: unknown): WaiterStatus[] {
  const [, ...fields] = toTexts(reply);
  const statuses: WaiterStatus[] = [];
  for (let at = 0; at < fields.length; at += 2) statuses.push(toStatus(fields[at], fields[at + 1]));
  return statuses;
}

function parseLeaveReply(reply: unknown): WaiterStatus {
  const [state, , since] = toTexts(reply);
  return toStatus(state, since);
}

function toStatus(state: string | undefined, since: string | undefined): WaiterStatus {
  const known = state === "waiting" || state === "signalled" || state === "stopped" ? state : "lost";
  return { state: known, sinceMs: since ? Number(since) : undefined };
}

function toTexts(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.map(String);
  throw new UnexpectedReplyError(`A script of a condition returned ${typeof reply} instead of a list`);
}
