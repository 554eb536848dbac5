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
import type {
  AcquireOptions,
  Grant,
  HoldStatus,
  LockVerbs,
  Released,
  ReleaseOptions,
  RenewOptions,
  VerbHold,
} from "../../server/locks/verbs/verbs.ts";
import { catchLockError, createTestKey } from "../support/test-locks.ts";

/** Long enough not to end while a test runs. */
export const LEASE_MS = 30_000;
/** Short enough to wait for. */
export const SHORT_MS = 400;

/** What not every backend has. */
export type Feature = "force-release" | "grace" | "hold-off" | "min-hold" | "other-formats" | "request-ids";

/** What the promises are made of. */
export interface FormatUnderTest {
  readonly format: WritableFormat;
  readonly kind?: WritableKind;
  readonly unit?: TimestampUnit;
  /** What it does not have, and why. */
  readonly lacks?: Partial<Record<Feature, string>>;
  /** Of several clocks the last counts for others, and the first for the holder: how far they may be apart. */
  readonly driftMs?: number;
}

/** A backend, opened, and ways to look behind it. */
export interface OpenedBackend {
  readonly verbs: LockVerbs;
  /** As the watchdog of a client renews. */
  readonly renewMany: Backend["renewMany"];
  /** Two clients that know nothing of each other, as in two processes. */
  readonly clients: readonly [LockClient, LockClient];
  /** Plain connections to all the servers that have this key. */
  findServers(key: string): readonly Redis[];
  /** How Redisson wakes its waiters there; PUBLISH by default. */
  readonly wakesBy?: "PUBLISH" | "SPUBLISH";
  /** Needed unless it is lacking. */
  forceRelease?(key: string, format: WritableFormat, seen: ForceReleaseRequest): Promise<ForceReleaseReply>;
  close(): Promise<void>;
}

type AskedAcquire = Partial<Omit<AcquireOptions, "owner" | "format" | "unit">>;

/** The verbs as a test wants them, in the format that it is about. */
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

  /** By how much a hold may end later than asked, for its holder. */
  get roundedMs(): number {
    return this.format.format !== "timestamp" ? 0 : this.format.unit === "s" ? 1000 : 1;
  }

  /** By how much others may be kept off for longer than the holder has it. */
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

  /** Under a request id of its own unless one is given. */
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

  /** How often it is held; 0 when it is not. */
  async countHold(hold: VerbHold): Promise<number> {
    const status = await this.verify(hold);
    return status.held ? status.count : 0;
  }

  /** A hold that was never granted. */
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

  /** What the options of a hold have in common. */
  toHoldOptions(options: HoldOptions = {}): HoldOptions {
    const { format, kind, unit } = this.format;
    const chosen = { ...(kind === undefined ? {} : { kind }), ...(unit === undefined ? {} : { unit }) };
    return { format, ...chosen, ...options };
  }

  /** Does something by hand wherever the key is. Gives what the first of the servers answered. */
  async runOnServers<Reply>(key: string, act: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const [first, ...others] = this.opened.findServers(key);
    if (first === undefined) throw new Error("the key has no server");
    const [reply] = await Promise.all([act(first), ...others.map(act)]);
    return reply;
  }

  countKeys(key: string): Promise<number> {
    return this.runOnServers(key, (redis) => redis.exists(key));
  }

  /** Takes away what Lockkeeper keeps beside the lock, as an eviction does. */
  deleteCompanion(key: string): Promise<number> {
    return this.runOnServers(key, (redis) => redis.del(String(buildCompanionKey(key))));
  }

  /** Takes the lock away, as an operator does who knows no better. */
  deleteKey(key: string): Promise<number> {
    return this.runOnServers(key, (redis) => redis.del(key));
  }

  /** Everything that the key holds, to see whether it was touched. */
  async dumpContent(key: string): Promise<string> {
    return (await this.runOnServers(key, (redis) => redis.dumpBuffer(key)))?.toString("base64") ?? "nothing";
  }
}

/** Who stands in the way, as a refusal tells. */
export async function catchHolders(call: Promise<unknown>): Promise<string[]> {
  const { facts } = await catchLockError(call);
  const { holders } = facts as { holders?: readonly { owner: string }[] };
  return (holders ?? []).map(({ owner }) => owner);
}

/** Registers what a backend promises if it has the feature; what it lacks stands in the list of tests with the reason. */
export function describeFeature(
  { format }: ConformanceFixture,
  feature: Feature,
  register: () => void,
): void {
  const reason = format.lacks?.[feature];
  if (reason === undefined) register();
  else it(`${feature} is not supported: ${reason}`, () => undefined);
}
