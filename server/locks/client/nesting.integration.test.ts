import fc from "fast-check";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { createTestKey, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import type { LockClient } from "./lock-client.ts";

const it = locksTest();

/**
 * A `withLock` call with the nested calls that its work makes. `task`: whether the caller awaits the call, runs the
 * call in a parallel branch, or starts a task that may outlive the caller.
 */
interface Call {
  readonly key: number;
  readonly reentrant: boolean;
  readonly ms: number;
  readonly task: "await" | "branch" | "detach";
  readonly calls: readonly Call[];
}

const { tree: calls } = fc.letrec<{ tree: Call }>((tie) => ({
  tree: fc.record({
    key: fc.nat(1),
    reentrant: fc.boolean(),
    ms: fc.nat(4),
    task: fc.constantFrom("await", "branch", "detach"),
    calls: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant([]),
      fc.array(tie("tree"), { maxLength: 3 }),
    ),
  }),
}));

/** Runs call trees, and checks that callbacks that run at the same time under one key are nested in each other. */
class CallRunner {
  readonly #inside = new Map<string, Set<readonly number[]>>();
  readonly #tasks: Promise<unknown>[] = [];
  /** Violations of the nesting rules, one message each. */
  readonly faults: string[] = [];
  #bodies = 0;

  constructor(
    private readonly client: LockClient,
    private readonly keys: readonly string[],
  ) {}

  async runAll(roots: readonly Call[]): Promise<void> {
    for (const call of roots) this.#tasks.push(this.#run(call, []));
    for (let done = 0; done < this.#tasks.length; done++) await this.#tasks[done];
  }

  async #run(call: Call, around: readonly number[]): Promise<void> {
    const key = String(this.keys[call.key]);
    const { reentrant } = call;
    const code = await getErrorCode(
      this.client.withLock(key, { reentrant, waitMs: 40 }, () => this.#body(key, call, around)),
    );
    // A call may time out if two calls lock two keys in opposite order, or if a nested call cannot re-enter.
    if (code !== "ok" && code !== "timeout") this.faults.push(code);
  }

  async #body(key: string, call: Call, around: readonly number[]): Promise<void> {
    const path = [...around, ++this.#bodies];
    const inside = this.#inside.get(key) ?? new Set();
    this.#inside.set(key, inside);
    for (const other of inside) {
      if (!isPrefix(other, path)) this.faults.push(`${other} and ${path} are inside at once`);
    }
    inside.add(path);
    await sleepMs(call.ms);
    const branches: Promise<void>[] = [];
    for (const nested of call.calls) {
      const task = this.#run(nested, path);
      if (nested.task === "await") await task;
      else (nested.task === "branch" ? branches : this.#tasks).push(task);
    }
    await Promise.all(branches);
    inside.delete(path);
  }
}

const isPrefix = (one: readonly number[], other: readonly number[]) =>
  one.every((id, at) => other[at] === id);

describe("any nesting of withLock", () => {
  it("bodies of one key that run at once are nested in one another, and nothing stays locked", async ({
    client,
    direct,
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 3 }), async (roots) => {
        const keys = [createTestKey(), createTestKey()];
        const runner = new CallRunner(client, keys);
        await runner.runAll(roots);
        expect(runner.faults).toEqual([]);
        expect(await direct.exists(...keys)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
