import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GroupMember, type GroupState, LockGroup } from "./lock-group.ts";

const STATES = ["held", "jeopardy", "releasing", "released", "lost"] as const satisfies GroupState[];

class TestHold implements GroupMember {
  readonly abort = new AbortController();
  releases = 0;

  constructor(
    readonly key: string,
    public state: GroupState = "held",
    public leftMs = 1000,
    public failures = 0,
  ) {}

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  get loss(): Error | undefined {
    return this.state === "lost" ? new Error(`${this.key} is lost`) : undefined;
  }

  remainingMs(): number {
    return this.leftMs;
  }

  assertHeld(): void {
    if (this.state !== "held" && this.state !== "jeopardy") throw new Error(`${this.key}: ${this.state}`);
  }

  async renew(leaseMs?: number): Promise<void> {
    this.leftMs = leaseMs ?? 1000;
  }

  onReleaseRequested(): void {}

  async release(): Promise<string> {
    this.releases++;
    if (this.failures-- > 0) throw new Error(`${this.key} was not released`);
    this.state = "released";
    return this.key;
  }
}

describe("a group of holds", () => {
  it("is held only if all are, has the earliest deadline, and the loss of any", () => {
    const member = fc.record({ state: fc.constantFrom(...STATES), leftMs: fc.nat(1000) });
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 5 }), (members) => {
        const holds = members.map(({ state, leftMs }, at) => new TestHold(`${at}`, state, leftMs));
        const group = new LockGroup(holds);
        const isHeld = members.every(({ state }) => state === "held" || state === "jeopardy");
        expect(["held", "jeopardy"].includes(group.state)).toBe(isHeld);
        expect(group.loss !== undefined).toBe(members.some(({ state }) => state === "lost"));
        expect(group.remainingMs()).toBe(Math.min(...members.map(({ leftMs }) => leftMs)));
        if (isHeld) group.assertHeld();
        else expect(() => group.assertHeld()).toThrow();
      }),
    );
  });

  it("aborts its signal once, with the reason of the first lost hold", () => {
    const holds = [new TestHold("a"), new TestHold("b")];
    const group = new LockGroup(holds);
    holds[1]?.abort.abort("b");
    holds[0]?.abort.abort("a");
    expect(group.signal.reason).toBe("b");
    expect(new LockGroup(holds).signal.reason).toBe("a");
  });

  it("releases all holds even if one fails, and rejects with that failure", async () => {
    const holds = [new TestHold("a", "held", 1, 1), new TestHold("b")];
    const group = new LockGroup(holds);
    await expect(group.release()).rejects.toThrow("a was not released");
    expect(holds.map(({ releases }) => releases)).toEqual([1, 1]);
    expect(await group.release()).toEqual(["a", "b"]);
    expect(group.getHold("b")).toBe(holds[1]);
  });

  it("renews all holds with the given options", async () => {
    const group = new LockGroup([new TestHold("a"), new TestHold("b")]);
    await group.renew(5000);
    expect(group.remainingMs()).toBe(5000);
  });
});
