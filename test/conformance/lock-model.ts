import { expect } from "vitest";
import { parseCompanion } from "../../server/formats/companion.ts";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import { getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, LEASE_MS } from "./conformance-fixture.ts";

export interface ModelCall {
  readonly verb: "acquire" | "renew" | "release";
  readonly owner: string;
  readonly principal: string | undefined;
  readonly isReentrant: boolean;
  readonly holdsOff: boolean;
}

interface ModelHold {
  readonly owner: string;
  /** Who acquired it. */
  readonly principal?: string | undefined;
  readonly count: number;
  readonly fence: string;
}

/** What a call answers: a grant, how many counts are left, or a refusal. */
type ModelAnswer = Pick<ModelHold, "count" | "fence"> | { readonly left: number } | string;

/** In place of a fence that is larger than all before it. */
const NEW = "new";

/** A plain model of one lock: who has it, how often, and under which fence. Calls are made on the model and the lock. */
export class LockModel {
  readonly #key: string;
  #held: ModelHold | undefined;
  #before: ModelHold | undefined;
  #highest = "0";
  /** By request id: the fence of the hold that it was about, '' when there was none. */
  readonly #memory = new Map<string, string>();
  readonly #calls: (readonly [call: ModelCall, id: string])[] = [];

  constructor(
    private readonly scene: ConformanceFixture,
    readonly owners: readonly string[],
  ) {
    this.#key = scene.createKey();
  }

  async call(call: ModelCall): Promise<void> {
    const id = `r${this.#calls.length}`;
    this.#calls.push([call, id]);
    await this.#call(call, id);
  }

  /** One of the calls before once more, as after a lost reply. */
  async repeat(back: number): Promise<void> {
    const before = this.#calls.at(-1 - back);
    if (before !== undefined) await this.#call(...before);
  }

  /** By hand: the lock, or all that is known of it as well. */
  async deleteKeys(what: "lock" | "everything"): Promise<void> {
    const companion = String(buildCompanionKey(this.#key));
    await this.scene.runOnServers(this.#key, (redis) =>
      what === "lock" ? redis.del(this.#key) : redis.del(this.#key, companion),
    );
    if (what === "everything") this.#memory.clear();
    this.#applyHold(undefined);
  }

  async forceRelease(seen: "now" | "before"): Promise<void> {
    const hold = seen === "now" ? this.#held : this.#before;
    if (hold === undefined) return;
    const isIt = this.#held?.owner === hold.owner && this.#held.fence === hold.fence;
    const expected = this.#held === undefined ? "gone" : isIt ? "released" : "changed";
    expect(await this.scene.forceRelease(this.#key, hold.owner, hold.fence)).toBe(expected);
    if (expected === "released") this.#applyHold(undefined);
  }

  /** The lock is as the model says, in whatever way one looks at it. */
  async assertSameState(): Promise<void> {
    const held = this.#held;
    for (const owner of this.owners) {
      const seen = this.scene.verify(this.#key, owner);
      if (held?.owner === owner) {
        const { count, fence } = held;
        expect(await seen).toMatchObject({ owner, count, fence });
      } else expect(await getErrorCode(seen)).toBe("lost");
    }
    const remainingMs = await this.scene.runOnServers(this.#key, (redis) => redis.pttl(this.#key));
    if (held === undefined) expect(remainingMs).toBe(-2);
    else expect(remainingMs).toBeGreaterThan(LEASE_MS / 2);
  }

  async #call(call: ModelCall, id: string): Promise<void> {
    const about = this.#memory.get(id);
    if (about !== undefined) {
      expect(await this.#callServer(call, id)).toEqual(this.#replayAnswer(call, about));
      return;
    }
    const [expected, next] = this.#execute(call);
    const answer = await this.#callServer(call, id);
    const fence = next?.fence === NEW ? await this.#assertNewFence(answer) : next?.fence;
    const isNew = typeof expected === "object" && "fence" in expected && expected.fence === NEW;
    expect(answer).toEqual(isNew ? { ...expected, fence } : expected);
    const isKept = typeof answer !== "string" || answer === "not_held";
    if (isKept) this.#memory.set(id, answer === "not_held" ? "" : (this.#held?.fence ?? fence ?? ""));
    this.#applyHold(next && { ...next, fence: fence ?? "" });
  }

  /** What the call answers when it is carried out, and the hold that it leaves. */
  #execute({
    verb,
    owner,
    principal,
    isReentrant,
    holdsOff,
  }: ModelCall): [ModelAnswer, ModelHold | undefined] {
    const held = this.#held;
    const named = held?.owner === owner ? held : undefined;
    const isAnothers = named?.principal !== undefined && named.principal !== principal;
    const mine = isAnothers ? undefined : named;
    if (isAnothers && verb !== "acquire") return ["not_owner", held];
    if (verb === "renew") return [mine ? toGrantAnswer(mine) : "lost", held];
    if (verb === "acquire") {
      if (held !== undefined && !(mine && isReentrant)) return ["held", held];
      const next = mine ? { ...mine, count: mine.count + 1 } : { owner, principal, count: 1, fence: NEW };
      return [toGrantAnswer(next), next];
    }
    if (mine === undefined) return ["not_held", held];
    if (mine.count > 1) return [{ left: mine.count - 1 }, { ...mine, count: mine.count - 1 }];
    const reserved = { owner: `lockkeeper:reserve:${owner}`, count: 1, fence: NEW };
    return [{ left: 0 }, holdsOff ? reserved : undefined];
  }

  #replayAnswer({ verb, owner }: ModelCall, about: string): ModelAnswer {
    const still = this.#held?.owner === owner && this.#held.fence === about ? this.#held : undefined;
    if (verb !== "release") return still ? toGrantAnswer(still) : "lost";
    return about === "" ? "not_held" : { left: still?.count ?? 0 };
  }

  async #callServer(
    { verb, owner, principal, isReentrant, holdsOff }: ModelCall,
    requestId: string,
  ): Promise<ModelAnswer> {
    const { scene } = this;
    if (verb === "release") {
      const asked = { requestId, principal, ...(holdsOff ? { reservedMs: LEASE_MS } : {}) };
      const releasing = scene.release(this.#key, owner, asked);
      const code = await getErrorCode(releasing);
      if (code !== "ok") return code;
      const { outcome, count } = await releasing;
      return outcome === "released" ? { left: count } : outcome;
    }
    const granted =
      verb === "acquire"
        ? scene.acquire(this.#key, owner, { requestId, principal, reentrant: isReentrant })
        : scene.renew(this.#key, owner, { requestId, principal });
    const code = await getErrorCode(granted);
    if (code !== "ok") return code;
    const { count, fence } = await granted;
    return { count, fence: fence ?? "" };
  }

  async #assertNewFence(answer: ModelAnswer): Promise<string> {
    const told = typeof answer === "object" && "fence" in answer ? answer.fence : undefined;
    const companion = () =>
      this.scene.runOnServers(this.#key, (redis) => redis.get(String(buildCompanionKey(this.#key))));
    const fence = told ?? parseCompanion((await companion()) ?? "")?.fence ?? "0";
    expect(BigInt(fence)).toBeGreaterThan(BigInt(this.#highest));
    this.#highest = fence;
    return fence;
  }

  #applyHold(next: ModelHold | undefined): void {
    if (this.#held !== undefined && this.#held.fence !== next?.fence) this.#before = this.#held;
    this.#held = next;
  }
}

function toGrantAnswer({ count, fence }: ModelHold): ModelAnswer {
  return { count, fence };
}
