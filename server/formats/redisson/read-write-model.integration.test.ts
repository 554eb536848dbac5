import fc from "fast-check";
import { describe, expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { createMutatedScripts, type ScriptMutant } from "../../../test/support/mutated-scripts.ts";
import { ReadWriteMachine, readWriteStep } from "../../../test/support/read-write-machine.ts";
import { ReadWriter, WriteWriter } from "./read-write-writer.ts";

const it = redisTest();
const SCRIPTS = new URL("../", import.meta.url);

const createWriters = (scripts = SCRIPTS) => ({
  read: new ReadWriter(scripts),
  write: new WriteWriter(scripts),
});

const steps = fc.array(readWriteStep, { minLength: 1, maxLength: 25, size: "max" });

/** Runs random steps against the scripts and a model, and compares the two after each step. */
const checkModel = (machineFor: () => ReadWriteMachine, runs: number) =>
  fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const machine = machineFor();
      for (const [at, step] of each.entries()) {
        const done = each.map(({ do: action, slot }) => `${action} ${slot}`).join(", ");
        await machine.run(step, `step ${at + 1} of ${done}`);
      }
    }),
    { numRuns: runs, interruptAfterTimeLimit: 30_000 },
  );

describe("read/write locks", () => {
  it("Redis equals the model after each random step of readers and writers of Lockkeeper and Redisson", {
    timeout: 60_000,
  }, async ({ direct }) => {
    await checkModel(() => new ReadWriteMachine(direct, createWriters()), 60);
  });
});

/** Mutations of the scripts. Each names the rule that it breaks, the file of the script, and the text to replace. */
const MUTANTS: readonly ScriptMutant[] = [
  {
    what: "a reader gets a new fencing token",
    file: "redisson/read/storage.lua",
    from: "  kept.fence = of_lock.fence\n",
    to: "",
  },
  {
    what: "a reader whose lease has ended keeps out writers",
    file: "redisson/read-write.lua",
    from: "    if lease_ms == 0 and lock.mode == 'read' then",
    to: "    if false then",
  },
  {
    what: "a downgrade leaves the mode",
    file: "redisson/write/downgrade.lua",
    from: "redis.call('HSET', KEYS[1], 'mode', 'read', reader, '1')",
    to: "redis.call('HSET', KEYS[1], reader, '1')",
  },
];

describe("mutants of the scripts", () => {
  it.for(MUTANTS)(
    "the model notices that $what",
    { timeout: 60_000 },
    async (mutant, { direct, onTestFinished }) => {
      const { scripts, remove } = await createMutatedScripts(mutant);
      onTestFinished(remove);
      const writers = createWriters(scripts);
      await expect(checkModel(() => new ReadWriteMachine(direct, writers), 500)).rejects.toThrow();
    },
  );
});
