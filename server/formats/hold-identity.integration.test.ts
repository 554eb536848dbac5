import fc from "fast-check";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { HoldMachine } from "../../test/support/hold-machine.ts";
import { describeStep, holdStep } from "../../test/support/hold-steps.ts";
import { createMutatedScripts, type ScriptMutant } from "../../test/support/mutated-scripts.ts";
import { WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { LockWriter } from "./lock-writer.ts";

const it = redisTest();

const steps = fc.array(holdStep, { minLength: 1, maxLength: 30, size: "max" });

/** Runs random steps against the scripts and a model, and compares the two after each step. */
const checkIdentity = (machineFor: () => HoldMachine, runs: number) =>
  fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const machine = machineFor();
      for (const [at, step] of each.entries()) {
        await machine.run(step, `step ${at + 1} of ${each.map(describeStep).join(", ")}`);
      }
    }),
    { numRuns: runs, interruptAfterTimeLimit: 60_000 },
  );

describe.each(WRITABLE_FORMATS)("hold identity in %s", (name) => {
  it("Redis equals the model after each of random acquires, re-entries, renewals, releases, expiries and re-creations", {
    timeout: 90_000,
  }, async ({ direct }) => {
    await checkIdentity(() => new HoldMachine(direct, new LockWriter(name)), 250);
  });
});

/** Mutations of the scripts. Each names the rule that it breaks, the file of the script, and the text to replace. */
const MUTANTS: readonly ScriptMutant[] = [
  {
    what: "the owner is compared instead of the token",
    file: "companion.lua",
    from: "if kept.token ~= token or kept.fence ~= fence then return false, 'lost' end",
    to: "if kept.owner ~= 'checkout@pod-7' then return false, 'lost' end",
    also: { from: "if not count then return false, 'lost' end", to: "count = count or kept.count" },
  },
  {
    what: "the fence is not compared",
    file: "companion.lua",
    from: "if kept.token ~= token or kept.fence ~= fence then return false, 'lost' end",
    to: "if kept.token ~= token then return false, 'lost' end",
  },
  {
    what: "the principal is not compared",
    file: "companion.lua",
    from: "return kept.principal == principal, 'not_owner'",
    to: "return true, 'not_owner'",
  },
  {
    what: "a repeated acquire returns a new token",
    file: "acquire.lua",
    from: "  return format_grant(left_ms, 'repeated')",
    to: "  kept.token = token\n  return format_grant(left_ms, 'repeated')",
  },
  {
    what: "the API releases a hold whose companion is missing",
    file: "companion.lua",
    from: "if kept.token == '' then return principal == '', 'lost' end",
    to: "if kept.token == '' then return true, 'lost' end",
  },
  {
    what: "a repeated re-entry counts twice",
    file: "reenter.lua",
    from: "if repeated then return format_grant(left_ms, 'repeated') end",
    to: "",
  },
];

describe("mutants of the scripts", () => {
  it.for(MUTANTS)(
    "the model notices that $what",
    { timeout: 90_000 },
    async (mutant, { direct, onTestFinished }) => {
      const { scripts, remove } = await createMutatedScripts(mutant);
      onTestFinished(remove);
      const formats =
        mutant.file === "companion.lua" ? (["token", "redisson"] as const) : (["token"] as const);
      const caught = formats.map(async (name) => {
        const writer = new LockWriter(name, "lock", scripts);
        return await checkIdentity(() => new HoldMachine(direct, writer), 1000).then(
          () => "survived",
          () => "caught",
        );
      });
      expect(await Promise.all(caught)).toContain("caught");
    },
  );
});
