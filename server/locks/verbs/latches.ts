import { LATCH_COUNT_MAX } from "../../../lib/contract/actions/semaphore.ts";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import { type LatchReply, LatchScripts } from "../../formats/redisson/latch-scripts.ts";
import { buildLatchChannel } from "../../formats/redisson/redisson-keys.ts";
import type { Commands } from "../../redis/commands.ts";
import type { Revocable, WaitCoordinator } from "../waiting/wait-coordinator.ts";
import type { HeldOutcome } from "../waiting/wait-stop.ts";
import { attempt } from "./attempt.ts";
import type { LatchCaller, LatchCount, LatchVerbs, LatchWaitOptions } from "./contract/latch-verbs.ts";
import { createRefusalError } from "./error-factories.ts";
import { assertCallerTexts } from "./input/caller-texts.ts";
import { assertDurations } from "./input/durations.ts";
import { assertCount } from "./kinds.ts";
import type { LockableKeys } from "./lockable-keys.ts";
import type { RequestFactory } from "./request-factory.ts";

const SCRIPTS = new LatchScripts();

type CountReply = Extract<LatchReply, { count: number }>;

/** The count-down latches of one Redis or Redis Cluster. */
export class Latches implements LatchVerbs {
  constructor(
    private readonly redis: Commands,
    private readonly waits: WaitCoordinator,
    private readonly requests: RequestFactory,
    private readonly lockable: LockableKeys,
  ) {}

  async trySetCount(key: Key, count: number, caller: LatchCaller = {}) {
    assertCount("count", count, LATCH_COUNT_MAX);
    const ask = this.requests.createPlainRequest("set_count", caller, count);
    const reply = await this.#change(key, caller, () => SCRIPTS.setCount(this.redis, key, count, ask));
    return { ...toLatchCount(key, reply), isSet: reply.outcome === "set" };
  }

  async countDown(key: Key, caller: LatchCaller = {}): Promise<LatchCount> {
    const ask = this.requests.createPlainRequest("count_down", caller);
    return toLatchCount(key, await this.#change(key, caller, () => SCRIPTS.countDown(this.redis, key, ask)));
  }

  async getCount(key: Key): Promise<LatchCount> {
    this.lockable.assertAllowed(key);
    return toLatchCount(key, await this.#read(key));
  }

  async wait(key: Key, { waitMs, openedAfterMs, signal }: LatchWaitOptions): Promise<LatchCount> {
    this.lockable.assertAllowed(key);
    assertDurations({ waitMs });
    let first: CountReply | undefined;
    const enqueueing = { acceptsHandOver: false, wakeChannel: buildLatchChannel(key) };
    const options = { waitMs, signal, requestId: undefined, enqueueing };
    const look = async () => {
      const now = await this.#read(key);
      first ??= now;
      // If the latch was opened since the first attempt, the wait has ended, even if the latch has a new count.
      const wasOpened = now.openedUs > first.openedUs || isAfter(now.openedUs, openedAfterMs);
      if (now.count > 0 && !wasOpened) return new ClosedLatch(key, now);
      return { done: new OpenLatch({ key, count: 0, asOf: now.asOf }) };
    };
    const { latch } = await this.waits.run(key, options, look, () => undefined);
    return latch;
  }

  async #change(key: Key, caller: LatchCaller, call: () => Promise<LatchReply>): Promise<CountReply> {
    this.lockable.assertAllowed(key);
    assertCallerTexts(caller);
    return requireCount(key, await attempt(this.redis, call));
  }

  async #read(key: Key): Promise<CountReply> {
    return requireCount(key, await attempt(this.redis, () => SCRIPTS.read(this.redis, key)));
  }
}

/** Returns whether the latch definitely opened after a read, whose time may have been rounded down by up to 1 ms. */
function isAfter(openedUs: number, readAtMs: number | undefined): boolean {
  return readAtMs !== undefined && openedUs >= (readAtMs + 1) * 1000;
}

/** @throws LockkeeperError not_a_lock, idempotency_key_reused */
function requireCount(key: Key, reply: LatchReply): CountReply {
  if ("count" in reply) return reply;
  throw createRefusalError(key, "redisson", reply);
}

const toLatchCount = (key: Key, { count, asOf }: CountReply): LatchCount => ({ key, count, asOf });

/** The result of a wait for a latch. Such a wait acquires nothing, so there is nothing to revoke. */
class OpenLatch implements Revocable {
  constructor(readonly latch: LatchCount) {}

  revoke(): void {}
}

/**
 * The result of an attempt that found the latch closed. A latch has no lease. Messages wake its waiters, which also
 * retry at intervals.
 */
class ClosedLatch implements HeldOutcome {
  readonly heldMs = null;

  constructor(
    private readonly latchKey: Key,
    private readonly seen: CountReply,
  ) {}

  get asOf(): number {
    return this.seen.asOf;
  }

  toError(): HeldError {
    const { asOf, count } = this.seen;
    const facts = { ...toKeyFields(this.latchKey), holders: [], remainingMs: null, asOf };
    return new HeldError(`The latch is closed with a count of ${count}.`, facts);
  }
}
