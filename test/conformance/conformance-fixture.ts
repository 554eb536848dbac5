import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { it } from "vitest";
import type { TimestampUnit, WritableFormat, WritableKind } from "../../lib/contract/format.ts";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import type { ForceReleaseRequest } from "../../server/formats/lock-requests.ts";
import type { ForceReleaseReply } from "../../server/formats/script-replies.ts";
import type { HoldOptions } from "../../server/locks/client/hold-options.ts";
import type { LockClient } from "../../server/locks/client/lock-client.ts";
import type { Backend } from "../../server/locks/verbs/backend.ts";
import type { Grant, Released, VerbHold } from "../../server/locks/verbs/contract/grant.ts";
import type {
  AcquireOptions,
  HoldStatus,
  LockVerbs,
  ReleaseOptions,
  RenewOptions,
} from "../../server/locks/verbs/contract/verbs.ts";
import { catchLockError, createTestKey } from "../support/test-locks.ts";

/** A lease that does not end during a test, in milliseconds. */
export const LEASE_MS = 30_000;
/** A lease that is short enough for a test to wait for its end, in milliseconds. */
export const SHORT_MS = 400;

/** A feature that some backends lack. */
export type Feature = "force-release" | "grace" | "hold-off" | "min-hold" | "other-formats" | "request-ids";

/** A format to test, and the features that it lacks. */
export interface FormatUnderTest {
  readonly format: WritableFormat;
  readonly kind?: WritableKind;
  readonly unit?: TimestampUnit;
  /** Features that the format or the backend lacks, with the reason. */
  readonly lacks?: Partial<Record<Feature, string>>;
  /**
   * Maximum difference between the clocks of a quorum, in ms. The fastest clock determines when a hold ends, and the
   * slowest clock determines when other clients can acquire the lock.
   */
  readonly driftMs?: number;
}

/** An open backend, with direct access to its servers. */
export interface OpenedBackend {
  readonly verbs: LockVerbs;
  /** Renews several holds at once, like the watchdog of a client. */
  readonly renewMany: Backend["renewMany"];
  /** Two independent clients, as in two processes. */
  readonly clients: readonly [LockClient, LockClient];
  /** Returns plain connections to all servers that store the key. */
  findServers(key: string): readonly Redis[];
  /** The command with which Redisson wakes its waiters on these servers. PUBLISH by default. */
  readonly wakesBy?: "PUBLISH" | "SPUBLISH";
  /** Force-releases a lock. Required unless the format lacks `force-release`. */
  forceRelease?(key: string, format: WritableFormat, seen: ForceReleaseRequest): Promise<ForceReleaseReply>;
  close(): Promise<void>;
}

type AskedAcquire = Partial<Omit<AcquireOptions, "owner" | "format" | "unit">>;

/** The verbs on locks in the format under test, and helpers for the conformance tests. */
export class ConformanceFixture {
  #opened: OpenedBackend | undefined;

  constructor(readonly format: FormatUnderTest) {}

  get opened(): OpenedBackend {
    if (this.#opened === undefined) throw new Error("the backend is not open yet");
    return this.#opened;
  }

  set opened(opened: OpenedBackend) {
    this.#opened = opened;
  }

  /** How much longer than requested the holder may have the hold because of rounding, in ms. */
  get roundedMs(): number {
    return this.format.format !== "timestamp" ? 0 : this.format.unit === "s" ? 1000 : 1;
  }

  /** How much longer than the hold other clients may be unable to acquire the lock, in ms. */
  get marginMs(): number {
    return 2 * this.roundedMs;
  }

  get driftMs(): number {
    return this.format.driftMs ?? 0;
  }

  createKey(): string {
    return createTestKey();
  }

  async acquire(key: string, owner: string, asked: AskedAcquire = {}): Promise<Grant> {
    const { format, kind, unit } = this.format;
    const ask = { owner, leaseMs: LEASE_MS, format, kind, unit, ...asked };
    return (await this.opened.verbs.acquire(key, ask)).grant;
  }

  /** Re-enters a hold, with a new request ID unless `asked` contains one. */
  reenter(hold: VerbHold, asked: RenewOptions = {}): Promise<Grant> {
    return this.opened.verbs.reenter(hold, { requestId: randomUUID(), ...asked });
  }

  renew(hold: VerbHold, asked?: RenewOptions): Promise<Grant> {
    return this.opened.verbs.renew(hold, asked);
  }

  release(hold: VerbHold, asked?: ReleaseOptions): Promise<Released> {
    return this.opened.verbs.release(hold, asked);
  }

  verify(hold: VerbHold): Promise<HoldStatus> {
    return this.opened.verbs.verify(hold);
  }

  /** Returns the count of the hold, or 0 if the lock is not held. */
  async countHold(hold: VerbHold): Promise<number> {
    const status = await this.verify(hold);
    return status.held ? status.count : 0;
  }

  /** Creates a hold that was never granted. */
  createUnknownHold(key: string): VerbHold {
    const { format, kind, unit } = this.format;
    const token = `${randomUUID()}:1`;
    return {
      key,
      format,
      kind,
      unit: format === "timestamp" ? unit : undefined,
      token,
      fence: "1795219195021038",
    };
  }

  async forceRelease(key: string, token: string, fence: string | null, reservedMs?: number) {
    const { forceRelease } = this.opened;
    if (forceRelease === undefined) throw new Error("the backend says that it can force, but gave no way");
    const reservation =
      reservedMs === undefined ? undefined : { owner: "lockkeeper:reserve:mei", reservedMs };
    const seen = { token, fence, by: "mei", reason: "a test", reservation };
    return (await forceRelease(key, this.format.format, seen)).outcome;
  }

  /** Returns the options of `withLock` for the format under test. */
  toHoldOptions(options: HoldOptions = {}): HoldOptions {
    const { format, kind, unit } = this.format;
    const chosen = { ...(kind === undefined ? {} : { kind }), ...(unit === undefined ? {} : { unit }) };
    return { format, ...chosen, ...options };
  }

  /** Runs a command directly on all servers that store the key. Returns the reply of the first server. */
  async runOnServers<Reply>(key: string, act: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const [first, ...others] = this.opened.findServers(key);
    if (first === undefined) throw new Error("the key has no server");
    const [reply] = await Promise.all([act(first), ...others.map(act)]);
    return reply;
  }

  countKeys(key: string): Promise<number> {
    return this.runOnServers(key, (redis) => redis.exists(key));
  }

  /** Deletes the companion of the lock, like an eviction. */
  deleteCompanion(key: string): Promise<number> {
    return this.runOnServers(key, (redis) => redis.del(String(buildCompanionKey(key))));
  }

  /** Deletes the lock, like an operator with redis-cli. */
  deleteKey(key: string): Promise<number> {
    return this.runOnServers(key, (redis) => redis.del(key));
  }

  /** Returns a dump of the key, for checking that its content was not changed. */
  async dumpContent(key: string): Promise<string> {
    return (await this.runOnServers(key, (redis) => redis.dumpBuffer(key)))?.toString("base64") ?? "nothing";
  }
}

/** Returns the owners of the holders that a refusal names. */
export async function catchHolders(call: Promise<unknown>): Promise<string[]> {
  const { facts } = await catchLockError(call);
  const { holders } = facts as { holders?: readonly { owner: string }[] };
  return (holders ?? []).map(({ owner }) => owner);
}

/**
 * Registers the tests of a feature. If the backend lacks the feature, registers an empty test whose name states the
 * reason.
 */
export function describeFeature(
  { format }: ConformanceFixture,
  feature: Feature,
  register: () => void,
): void {
  const reason = format.lacks?.[feature];
  if (reason === undefined) register();
  else it(`${feature} is not supported: ${reason}`, () => undefined);
}
