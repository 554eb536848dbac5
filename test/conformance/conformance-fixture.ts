import type { Redis } from "ioredis";
import { it } from "vitest";
import type { Grant, Released, Verified } from "../../lib/contract/actions/verb.ts";
import type { TimestampUnit, WritableFormat } from "../../lib/contract/format.ts";
import type { ForceReleaseRequest } from "../../server/formats/lock-writer.ts";
import type { ForceReleaseReply } from "../../server/formats/script-replies.ts";
import type { HoldOptions, LockClient } from "../../server/locks/client/lock-client.ts";
import type { Backend } from "../../server/locks/verbs/backend.ts";
import type {
  AcquireOptions,
  LockVerbs,
  ReleaseOptions,
  RenewOptions,
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

type PartialOptions<Options> = Partial<Omit<Options, "owner" | "format" | "unit">>;

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

  async acquire(key: string, owner: string, asked: PartialOptions<AcquireOptions> = {}): Promise<Grant> {
    const { format, unit } = this.format;
    const ask = { owner, leaseMs: LEASE_MS, reentrant: true, format, unit, ...asked };
    return (await this.opened.verbs.acquire(key, ask)).grant;
  }

  renew(key: string, owner: string, asked: PartialOptions<RenewOptions> = {}): Promise<Grant> {
    const ask = { owner, leaseMs: LEASE_MS, format: this.format.format, ...asked };
    return this.opened.verbs.renew(key, ask);
  }

  release(key: string, owner: string, asked: PartialOptions<ReleaseOptions> = {}): Promise<Released> {
    return this.opened.verbs.release(key, { owner, format: this.format.format, ...asked });
  }

  verify(key: string, owner: string, fence?: string): Promise<Verified> {
    const { format } = this.format;
    return this.opened.verbs.verify(key, { owner, format, ...(fence === undefined ? {} : { fence }) });
  }

  async forceRelease(key: string, owner: string, fence: string | null, reservedMs?: number) {
    const { forceRelease } = this.opened;
    if (forceRelease === undefined) throw new Error("the backend says that it can force, but gave no way");
    const reservation =
      reservedMs === undefined ? undefined : { owner: "lockkeeper:reserve:mei", reservedMs };
    const seen = { owner, fence, by: "mei", reason: "a test", reservation };
    return (await forceRelease(key, this.format.format, seen)).outcome;
  }

  /** What the options of a hold have in common. */
  toHoldOptions(options: HoldOptions = {}): HoldOptions {
    const { format, unit } = this.format;
    return { format, ...(unit === undefined ? {} : { unit }), ...options };
  }

  /** Does something by hand wherever the key is. Gives what the first of the servers answered. */
  async runOnServers<Reply>(key: string, act: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const [reply] = await Promise.all(this.opened.findServers(key).map(act));
    if (reply === undefined) throw new Error("the key has no server");
    return reply;
  }

  countKeys(key: string): Promise<number> {
    return this.runOnServers(key, (redis) => redis.exists(key));
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
