import { expect } from "vitest";
import type { Grant, VerbHold } from "../../server/locks/verbs/contract/grant.ts";
import { getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, LEASE_MS } from "./conformance-fixture.ts";

export interface AcquireCall {
  readonly verb: "acquire";
  readonly owner: string;
  readonly principal: string | undefined;
}

export interface HoldCall {
  readonly verb: "reenter" | "renew" | "release";
  /** Index of the granted hold, starting with the latest. */
  readonly back: number;
  /** The caller: the principal that acquired the hold, a client of the library, or another principal. */
  readonly asker: "own" | "library" | "key-2";
  /** Whether the call uses a wrong fencing token. */
  readonly hasOtherFence: boolean;
  readonly hasRequestId: boolean;
  readonly reserves: boolean;
}

export type ModelCall = AcquireCall | HoldCall;

/** A granted hold with its owner. */
type ModelHold = VerbHold & Pick<Grant, "owner">;

/** The expected state of the lock. `isBare`: the companion was lost. */
interface ModelState {
  readonly hold: ModelHold;
  readonly count: number;
  readonly isBare: boolean;
}

/** The reply to a call: a grant, the outcome of a release, or the code of a refusal. */
type ModelAnswer =
  | Pick<Grant, "token" | "fence" | "count" | "owner">
  | { readonly outcome: string; readonly count: number }
  | string;

/** A call with the parameters that are needed to repeat it. */
interface MadeCall {
  readonly call: ModelCall;
  readonly requestId: string;
  readonly hold: ModelHold;
}

/**
 * A simple model of one lock with its hold and count. Makes each call on the lock and compares the reply with the
 * model. The calls include repeated calls, calls on ended holds and calls by other principals.
 */
export class LockModel {
  readonly #key: string;
  readonly #holds: ModelHold[] = [];
  /** The granted holds by request ID. */
  readonly #memory = new Map<string, ModelHold>();
  readonly #calls: MadeCall[] = [];
  #state: ModelState | undefined;
  #highest = 0n;

  constructor(private readonly scene: ConformanceFixture) {
    this.#key = scene.createKey();
  }

  async call(call: ModelCall): Promise<void> {
    const unknown = { ...this.scene.createUnknownHold(this.#key), owner: "nobody" };
    const hold =
      call.verb === "acquire" ? unknown : toAskedHold(this.#holds.at(-1 - call.back) ?? unknown, call);
    const made = { call, requestId: `r${this.#calls.length}`, hold };
    this.#calls.push(made);
    await this.#call(made);
  }

  /** Repeats one of the previous calls, as after a lost reply. */
  async repeat(back: number): Promise<void> {
    const made = this.#calls.at(-1 - back);
    if (made !== undefined && hasRequestId(made.call)) await this.#call(made);
  }

  /** Deletes the lock, its companion, or both. */
  async deleteKeys(what: "lock" | "companion" | "everything"): Promise<void> {
    if (what !== "companion") await this.scene.deleteKey(this.#key);
    if (what !== "lock") {
      await this.scene.deleteCompanion(this.#key);
      this.#memory.clear();
    }
    const state = what === "companion" ? this.#state : undefined;
    this.#state = state && this.#toBare(state);
  }

  async forceRelease(back: number): Promise<void> {
    const seen = this.#holds.at(-1 - back);
    if (seen === undefined) return;
    const isIt = this.#findStanding(seen) !== undefined && this.#state?.isBare === false;
    const expected = this.#state === undefined ? "gone" : isIt ? "released" : "changed";
    expect(await this.scene.forceRelease(this.#key, seen.token, seen.fence)).toBe(expected);
    if (isIt) this.#state = undefined;
  }

  /** Asserts that the status of each hold and the TTL of the key match the model. */
  async assertSameState(): Promise<void> {
    for (const hold of this.#holds.slice(-4)) {
      const standing = this.#findStanding(hold);
      const { token, fence } = hold;
      expect(await this.scene.verify(hold)).toMatchObject(
        standing ? { held: true, token, fence, count: standing.count } : { held: false },
      );
    }
    const remainingMs = await this.scene.runOnServers(this.#key, (redis) => redis.pttl(this.#key));
    if (this.#state === undefined) expect(remainingMs).toBe(-2);
    else expect(remainingMs).toBeGreaterThan(LEASE_MS / 2);
  }

  /** Returns the state of the lock after the loss of its companion. */
  #toBare({ hold, count }: ModelState): ModelState {
    return { hold, count: this.scene.format.format === "redisson" ? count : 1, isBare: true };
  }

  /** Returns the state of the lock if `hold` still exists and its principal may use it. */
  #findStanding(hold: ModelHold): ModelState | undefined {
    const state = this.#state;
    if (state?.hold.token !== hold.token) return undefined;
    if (!state.isBare) return state.hold.fence === hold.fence ? state : undefined;
    return hold.principal === undefined && this.scene.format.format !== "timestamp" ? state : undefined;
  }

  async #call(made: MadeCall): Promise<void> {
    const { call, requestId, hold } = made;
    const about = hasRequestId(call) ? this.#memory.get(requestId) : undefined;
    if (about !== undefined) {
      expect(await this.#callServer(made)).toEqual(this.#replayAnswer(call, about));
      return;
    }
    const answer = await this.#callServer(made);
    if (call.verb === "acquire") await this.#checkAcquire(call, answer);
    else expect(answer).toEqual(this.#execute(call, hold));
    const isDone = typeof answer === "object" && !("outcome" in answer && answer.outcome === "not_held");
    if (!isDone || !hasRequestId(call)) return;
    const isStored = call.verb === "release" || this.#state?.isBare === false;
    if (isStored) this.#memory.set(requestId, call.verb === "acquire" ? this.#getLatest() : hold);
  }

  async #checkAcquire({ owner, principal }: AcquireCall, answer: ModelAnswer): Promise<void> {
    if (this.#state !== undefined) {
      expect(answer).toBe("held");
      return;
    }
    expect(answer).toMatchObject({ owner, count: 1 });
    const { token, fence } = answer as Grant;
    expect(this.#holds.map((each) => each.token)).not.toContain(token);
    this.#assertRising(fence);
    const hold = { ...this.scene.createUnknownHold(this.#key), token, fence, owner, principal };
    this.#holds.push(hold);
    this.#state = { hold, count: 1, isBare: false };
  }

  /** Executes a call on a hold in the model. Returns the expected reply. */
  #execute(call: HoldCall, hold: ModelHold): ModelAnswer {
    const { verb } = call;
    const ended = verb === "release" ? { outcome: "not_held", count: 0 } : "lost";
    const standing = this.#findStanding(hold);
    if (standing === undefined) return ended;
    if (!standing.isBare && standing.hold.principal !== hold.principal) return "not_owner";
    if (verb === "release") return this.#release(call, standing);
    if (verb === "reenter") {
      if (standing.isBare) return "lost";
      this.#state = { ...standing, count: standing.count + 1 };
    }
    return toGrantAnswer(this.#state ?? standing, hold);
  }

  #release({ hasRequestId, reserves }: HoldCall, standing: ModelState): ModelAnswer {
    if (standing.count > 1 && !hasRequestId) return "idempotency_key_required";
    const count = standing.count - 1;
    if (count > 0) {
      this.#state = { ...standing, count };
      return { outcome: "still_held", count };
    }
    this.#state = undefined;
    if (reserves) this.#reserve(standing.hold);
    return { outcome: "released", count };
  }

  /** Sets the lock to a reservation by `owner`. The fence of the reservation is unknown, so no call refers to it. */
  #reserve({ owner }: ModelHold): void {
    const token = `lockkeeper:reserve:${owner}`;
    const hold = { ...this.scene.createUnknownHold(this.#key), owner: token, token };
    this.#state = { hold, count: 1, isBare: false };
  }

  #replayAnswer({ verb }: ModelCall, about: ModelHold): ModelAnswer {
    const standing = this.#findStanding(about);
    const count = standing?.count ?? 0;
    if (verb === "release") return { outcome: count > 0 ? "still_held" : "released", count };
    return standing && !standing.isBare ? toGrantAnswer(standing, about) : "lost";
  }

  async #callServer({ call, hold, requestId: id }: MadeCall): Promise<ModelAnswer> {
    const { scene } = this;
    const requestId = hasRequestId(call) ? id : undefined;
    if (call.verb === "release") {
      const reservedMs = call.reserves ? LEASE_MS : undefined;
      const releasing = scene.release(hold, { requestId, reservedMs });
      const code = await getErrorCode(releasing);
      if (code !== "ok") return code;
      const { outcome, count } = await releasing;
      return { outcome, count };
    }
    const granting =
      call.verb === "acquire"
        ? scene.acquire(this.#key, call.owner, { requestId, principal: call.principal })
        : scene[call.verb](hold, { requestId });
    const code = await getErrorCode(granting);
    if (code !== "ok") return code;
    const { token, fence, owner, count } = await granting;
    return { token, fence, owner, count };
  }

  /** Asserts that the fence is larger than all earlier fences of the lock. */
  #assertRising(fence: string): void {
    expect(BigInt(fence)).toBeGreaterThan(this.#highest);
    this.#highest = BigInt(fence);
  }

  #getLatest(): ModelHold {
    const hold = this.#holds.at(-1);
    if (hold === undefined) throw new Error("nothing was granted");
    return hold;
  }
}

function toAskedHold(hold: ModelHold, { asker, hasOtherFence }: HoldCall): ModelHold {
  const principals = { own: hold.principal, library: undefined, "key-2": "key-2" };
  const fence = hasOtherFence ? String(BigInt(hold.fence) - 1n) : hold.fence;
  return { ...hold, principal: principals[asker], fence };
}

/**
 * Returns the expected grant. Uses the fencing token of the request, because a lock without its companion has no known
 * token.
 */
function toGrantAnswer({ count }: ModelState, { token, fence, owner }: ModelHold): ModelAnswer {
  return { token, fence, owner, count };
}

function hasRequestId(call: ModelCall): boolean {
  return call.verb === "acquire" || call.hasRequestId;
}
