import type { WritableFormat, WritableKind } from "../../lib/contract/format.ts";
import { formatKey, type Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { Script, toRedisArgument } from "../redis/script.ts";
import { buildLockKeyPair } from "./keys.ts";
import type {
  AgreedHold,
  ExtendRequest,
  HoldIdentity,
  HoldRenewal,
  LockRequest,
  OwnHold,
  RenewRequest,
} from "./lock-requests.ts";
import {
  type AnswerReply,
  parseAnswerReply,
  parseRequestReleaseReply,
  type ReleaseAnswerParams,
  type ReleaseRequestParams,
  type RequestReleaseReply,
} from "./release-request.ts";
import {
  type ExtendReply,
  isAgreedReply,
  parseExtendReply,
  parseRenewManyReply,
  parseRenewReply,
  parseVerifyReply,
  type RenewReply,
  type VerifyReply,
} from "./script-replies.ts";

/** The keys of a script call, or its arguments. */
export type ScriptArguments = RedisArgument[];
type Keys = ScriptArguments;

/**
 * Runs the scripts for an existing hold: re-enter, renew, verify, extend, agree, and the scripts for release requests.
 * All formats and kinds share one Lua file per verb. The `storage.lua` of the format or kind reads and writes the
 * content of the key.
 */
export class HoldWriter {
  readonly #reenter: Script<Keys, Keys, RenewReply>;
  readonly #renew: Script<Keys, Keys, RenewReply>;
  readonly #verify: Script<Keys, Keys, VerifyReply>;
  readonly #renewMany: Script<Keys, Keys, (RenewReply | Error)[]>;
  readonly #extend: Script<Keys, Keys, ExtendReply>;
  readonly #requestRelease: Script<Keys, Keys, RequestReleaseReply>;
  readonly #answer: Script<Keys, Keys, AnswerReply>;
  readonly #agree: Script<Keys, Keys, boolean>;

  /**
   * @param scripts the folder with the scripts, with a folder for each format and, within it, for each kind except
   * `lock`
   */
  constructor(
    readonly name: WritableFormat,
    readonly kind: WritableKind,
    protected readonly scripts: URL,
  ) {
    this.#reenter = this.loadVerb("reenter", parseRenewReply);
    this.#renew = this.loadVerb("renew", parseRenewReply);
    this.#verify = this.loadVerb("verify", parseVerifyReply);
    this.#renewMany = this.loadVerb("renew-many", parseRenewManyReply);
    this.#extend = this.loadVerb("extend", parseExtendReply);
    this.#requestRelease = this.loadVerb("request-release", parseRequestReleaseReply);
    this.#answer = this.loadVerb("answer-release-request", parseAnswerReply);
    this.#agree = this.loadVerb("agree", isAgreedReply);
  }

  /** Loads the script of a verb, including the `storage.lua` of this format and kind. */
  protected loadVerb<Reply>(
    verb: string,
    decode: (reply: unknown) => Reply,
  ): Script<ScriptArguments, ScriptArguments, Reply> {
    const { name, kind, scripts } = this;
    const folder = new URL(kind === "lock" ? `${name}/` : `${name}/${kind.replaceAll("_", "-")}/`, scripts);
    return new Script(new URL(`${verb}.lua`, scripts), decode, folder);
  }

  /** Builds the keys to pass to the scripts for an existing hold. */
  protected buildKeys(key: Key, _token: string): Keys {
    return buildLockKeyPair(key);
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
   * Renews up to 100 holds of one principal in one call. On a cluster, all keys must be in the same slot. Returns the
   * reply or error for each hold. Repeating the call changes only the leases.
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
   * Renews up to 100 holds of a library client. Returns the remaining time of each hold in ms: `null` if the hold has
   * ended or has another owner, `undefined` if the outcome is unknown.
   */
  async renewMany(
    redis: Commands,
    channel: string,
    holds: readonly OwnHold[],
  ): Promise<(number | null | undefined)[]> {
    return (await this.renewHolds(redis, channel, holds)).map(toRemainingTime);
  }

  /** Extends the lease of a Lockkeeper hold, or of a foreign hold that ends when its key expires. */
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

  /** Asks the client of a Lockkeeper hold to release that hold. */
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

  /** Stores a client's response to a release request. */
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

  /**
   * Sets the fencing token and count of a hold to the values that a quorum agreed on. The count never decreases. In
   * formats that store the count in the lock, the count is not changed. Resolves to `false` if the hold has ended.
   */
  agree(redis: Commands, key: Key, { token, from, fence, count }: AgreedHold): Promise<boolean> {
    return this.#agree.run(redis, this.buildKeys(key, token), [token, from, fence, count]);
  }
}

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
