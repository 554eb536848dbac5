import fc from "fast-check";
import { describe, expect } from "vitest";
import { FairMachine, type FairScripts } from "../../../test/support/fair-machine.ts";
import { describeFairStep, type FairStep, fairStep } from "../../../test/support/fair-steps.ts";
import { redisTest } from "../../../test/support/fixtures.ts";
import { createMutatedScripts, type ScriptMutant } from "../../../test/support/mutated-scripts.ts";
import { EVENT_CHANNEL, forceReleaseObserved, observeHeldLock } from "../../../test/support/observed-lock.ts";
import { leaveFairQueue } from "../stop-waiting.ts";
import { FairWriter } from "./fair-writer.ts";

const it = redisTest().extend("listener", { scope: "file" }, ({ redis }) => redis.createClient());

/** Time limit of a run, in ms. Shorter than the times after which kept places (5 s) and heartbeats (6 s) expire. */
const RUN_MS_MAX = 4000;
const steps = fc.array(fairStep, { minLength: 1, maxLength: 30, size: "max" });

/**
 * Builds steps in which a client joins behind a client of Redisson whose timeout has passed, and then the queue moves
 * up.
 */
const joinBehindTimedOut = (joins: FairStep): FairStep[] => [
  { do: "wait", ours: 0 },
  { do: "wait", theirs: 0 },
  { do: "wait", theirs: 3 },
  { do: "time_out", theirs: 3 },
  joins,
  { do: "release" },
  { do: "wait", theirs: 0 },
  { do: "wait", ours: 0 },
];

const EXAMPLES: [FairStep[]][] = [
  [joinBehindTimedOut({ do: "wait", theirs: 1 })],
  [joinBehindTimedOut({ do: "wait", ours: 1 })],
];

function createScripts(scripts?: URL): FairScripts {
  return {
    writer: new FairWriter(scripts),
    leave: leaveFairQueue,
    forceRelease: async (redis, key) =>
      await forceReleaseObserved(redis, EVENT_CHANNEL, await observeHeldLock(redis, key)),
  };
}

type Connection = Parameters<typeof FairMachine.create>[0];

/** Runs random steps against the scripts and a model, and compares the two after each step. */
const checkQueue = (
  [direct, listener]: [Connection, Connection],
  scripts: FairScripts,
  more: fc.Parameters<[FairStep[]]>,
) =>
  fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const machine = await FairMachine.create(direct, listener, scripts);
      const startedAt = performance.now();
      try {
        for (const [at, step] of each.entries())
          await machine.run(step, `step ${at + 1} of ${each.map(describeFairStep).join(", ")}`);
      } catch (error) {
        // The model ignores time. If a run is slow on a busy machine, heartbeats expire in Redis, so the difference is
        // ignored.
        if (performance.now() - startedAt < RUN_MS_MAX) throw error;
      } finally {
        await machine.close();
      }
    }),
    { interruptAfterTimeLimit: 60_000, ...more },
  );

describe("the queue of a fair lock", () => {
  it("Redis equals the model after each random wait, release, expiry, death and departure on both sides", {
    timeout: 90_000,
  }, async ({ direct, listener }) => {
    await checkQueue([direct, listener], createScripts(), { numRuns: 60, examples: EXAMPLES });
  });
});

/** Mutations of the scripts. Each names the rule that it breaks, the file of the script, and the text to replace. */
const MUTANTS: readonly ScriptMutant[] = [
  {
    what: "a dead waiter at the head is not removed",
    file: "fair-queue.lua",
    from: "if head == caller or not is_gone(t, head, heartbeat, now_ms, is_free) then break end",
    to: "if true then break end",
  },
  {
    what: "a client that comes at the right moment overtakes the queue",
    file: "redisson/fair/queue.lua",
    from: "if head == waiter then return nil end",
    to: "if is_free then return nil end",
  },
  {
    what: "a kept place blocks the lock when it is its turn",
    file: "fair-queue.lua",
    from: "heartbeat < 0 and (is_free or -heartbeat <= now_ms)",
    to: "heartbeat < 0 and -heartbeat <= now_ms",
  },
  {
    what: "a release wakes no waiter",
    file: "redisson/fair/queue.lua",
    from: "if head then wake_queued(channel, head, is_sharded) end",
    to: "",
  },
  {
    what: "a grant leaves the timeouts of the others as they were",
    file: "redisson/fair/queue.lua",
    from: "    decrease_timeouts(q, t, 0, 1, now_ms, fair_wait_ms)",
    to: "",
  },
];

describe("mutants of the scripts", () => {
  it.for(MUTANTS)(
    "the model notices that $what",
    { timeout: 90_000 },
    async (mutant, { direct, listener, onTestFinished }) => {
      const { scripts, remove } = await createMutatedScripts(mutant);
      onTestFinished(remove);
      const until = { numRuns: 500, endOnFailure: true };
      const caught = await checkQueue([direct, listener], createScripts(scripts), until).then(
        () => "survived",
        () => "caught",
      );
      expect(caught).toBe("caught");
    },
  );
});
