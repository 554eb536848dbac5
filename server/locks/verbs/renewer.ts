import type { RenewRequest } from "../../formats/lock-requests.ts";
import type { LockWriter } from "../../formats/lock-writer.ts";
import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import type { Commands } from "../../redis/commands.ts";
import { attempt } from "./attempt.ts";
import { BatchRenewer } from "./batch-renewer.ts";
import type { Grant, VerbHold } from "./contract/grant.ts";
import type { HoldStatus, RenewalTarget, RenewOptions } from "./contract/verbs.ts";
import { createNotOwnerError, readRenewal, toGrant } from "./error-factories.ts";
import { assertCallerTexts } from "./input/caller-texts.ts";
import { assertDurations } from "./input/durations.ts";
import { assertExclusive } from "./kinds.ts";
import type { LockableKeys } from "./lockable-keys.ts";
import type { RequestFactory } from "./request-factory.ts";
import type { GuardedCommands } from "./safety.ts";

interface Connection {
  readonly redis: Commands;
  /** The channel on which scripts publish events. */
  readonly channel: string;
  readonly getGuardedCommands: (what: "grant" | "renewal") => GuardedCommands;
}

/** Re-enters, renews and verifies holds. Throws the same errors as `RedisLocks`. */
export class Renewer {
  readonly #connection: Connection;
  readonly #lockable: LockableKeys;
  readonly #requests: RequestFactory;
  readonly #batches: BatchRenewer;

  constructor(connection: Connection, lockable: LockableKeys, requests: RequestFactory) {
    const { redis, channel, getGuardedCommands } = connection;
    this.#connection = connection;
    this.#lockable = lockable;
    this.#requests = requests;
    this.#batches = new BatchRenewer(
      redis,
      channel,
      lockable,
      () => getGuardedCommands("renewal"),
      ({ leaseMs, ...hold }) => this.renew(hold, { leaseMs }),
    );
  }

  async reenter(hold: VerbHold, options: RenewOptions): Promise<Grant> {
    assertExclusive(hold, "re-entered; acquire permits again instead");
    const { channel } = this.#connection;
    const ask = this.#requests.createRenewRequest("reenter", hold, options);
    return await this.#prolong("grant", hold, options, ask, (writer, commands, request) =>
      writer.reenter(commands, channel, hold.key, request),
    );
  }

  renew(hold: VerbHold, options: RenewOptions): Promise<Grant> {
    const { channel } = this.#connection;
    const ask = this.#requests.createRenewRequest("renew", hold, options);
    return this.#prolong("renewal", hold, options, ask, (writer, commands, request) =>
      writer.renew(commands, channel, hold.key, request),
    );
  }

  async #prolong(
    what: "grant" | "renewal",
    hold: VerbHold,
    { leaseMs, requestId, onSend }: RenewOptions,
    ask: RenewRequest,
    call: (writer: LockWriter, commands: Commands, request: RenewRequest) => ReturnType<LockWriter["renew"]>,
  ): Promise<Grant> {
    this.#lockable.assertAllowed(hold.key);
    assertDurations({ leaseMs });
    assertCallerTexts({ principal: hold.principal, requestId });
    const { redis, getGuardedCommands } = this.#connection;
    const { commands, confirm } = getGuardedCommands(what);
    const reply = await attempt(redis, (retryMs) => {
      onSend?.();
      return call(getLockWriter(hold), commands, retryMs === undefined ? ask : { retryMs, ...ask });
    });
    const grant = readRenewal(hold, reply);
    await confirm?.();
    return grant;
  }

  /** Renews many holds in few script calls. */
  renewHolds(holds: readonly RenewalTarget[]): Promise<PromiseSettledResult<Grant>[]> {
    return this.#batches.renew(holds);
  }

  async verify(hold: VerbHold): Promise<HoldStatus> {
    this.#lockable.assertAllowed(hold.key);
    const { redis } = this.#connection;
    const reply = await attempt(redis, () => getLockWriter(hold).verify(redis, hold.key, hold));
    if (reply.outcome === "not_owner") throw createNotOwnerError(hold.key);
    if (reply.outcome === "lost") return { held: false, asOf: reply.asOf };
    return { held: true, ...toGrant(hold, reply.owner, reply) };
  }
}
