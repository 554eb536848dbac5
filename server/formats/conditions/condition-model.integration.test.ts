import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { ConditionMachine, type ScriptsUnderTest } from "../../../test/support/condition-machine.ts";
import {
  CONDITION_STEPS,
  conditionStep,
  describeConditionStep,
} from "../../../test/support/condition-steps.ts";
import { redisTest } from "../../../test/support/fixtures.ts";
import { createMutatedScripts, type ScriptMutant } from "../../../test/support/mutated-scripts.ts";
import { LockWriter } from "../lock-writer.ts";
import { FairWriter } from "../redisson/fair-writer.ts";
import { type ConditionKind, ConditionScripts } from "./condition-scripts.ts";

const it = redisTest();

const STEPS = 60;
const RUNS = Math.ceil(CONDITION_STEPS / STEPS);

const steps = fc.array(conditionStep, { minLength: STEPS, maxLength: STEPS, size: "max" });

const createScripts = (kind: ConditionKind, scripts?: URL): ScriptsUnderTest => ({
  kind,
  writer: kind === "fair" ? new FairWriter(scripts) : new LockWriter("redisson", kind, scripts),
  conditions: new ConditionScripts(scripts),
});

/** Runs random steps against the scripts and a model, and compares the two after each step. */
const checkConditions = (direct: Redis, scripts: ScriptsUnderTest, more: fc.Parameters<unknown>) =>
  fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const machine = new ConditionMachine(direct, scripts);
      for (const [at, step] of each.entries())
        await machine.run(step, `step ${at + 1} of ${each.map(describeConditionStep).join(", ")}`);
    }),
    more,
  );

describe("the waiters for conditions", () => {
  it.for(["lock", "fair"] as const)(
    "for a lock of the kind %s, Redis equals the model after each of random waits, signals, deaths, timeouts and repeats",
    { timeout: 60_000 * Math.max(2, RUNS / 25) },
    async (kind, { direct }) => {
      await checkConditions(direct, createScripts(kind), { numRuns: RUNS });
    },
  );
});

/** Mutations of the scripts. Each names the rule that it breaks, the file of the script, and the lines to replace. */
const MUTANTS: readonly ScriptMutant[] = [
  {
    what: "a signal is lost with a client that dies",
    file: "conditions/waiters.lua",
    from: "for _, waiter in ipairs(unused) do pass_signal(o, w, waiter, now_ms, woken) end",
    to: "",
  },
  {
    what: "a signal is lost with a client that leaves",
    file: "conditions/leave.lua",
    from: "if waiter.state == 'signalled' then pass_signal(1, 2, waiter, now_ms, woken) end",
    to: "",
  },
  {
    what: "a signal is lost with a client whose time is up",
    file: "conditions/leave.lua",
    from: "if waiter.state == 'waiting' then end_wait(",
    to: "if true then end_wait(",
  },
  {
    what: "the count is not restored",
    file: "acquire.lua",
    from: "    if given_up.count > 1 then increment_count(1, token, format_integer(given_up.count - 1)) end\n    count, kept.count = given_up.count, given_up.count\n",
    to: "",
  },
  {
    what: "only one count is given up",
    file: "conditions/await.lua",
    from: "ARGV[12], '1',",
    to: "ARGV[12], '',",
  },
  {
    what: "a dead client is signalled",
    file: "conditions/signal.lua",
    from: "local woken = expire_waiters(3, 4, 5, now_ms)",
    to: "local woken = {}",
  },
  {
    what: "a signal passes to a client that began to wait later",
    file: "conditions/waiters.lua",
    from: "'(' .. name .. '\\t' .. bound .. '\\n'",
    to: "'(' .. name .. '\\n'",
  },
  {
    what: "a repeated signal wakes another client",
    file: "conditions/signal.lua",
    from: "redis.call('SET', KEYS[2], format_companion(kept), 'KEEPTTL')",
    to: "",
  },
  {
    what: "clients of another condition are signalled",
    file: "conditions/waiters.lua",
    from: "'[' .. name .. '\\t', '(' .. name .. '\\t' .. bound .. '\\n'",
    to: "'[', '[\\255'",
  },
];

describe("mutants of the scripts", () => {
  it.for(MUTANTS)(
    "the model notices that $what",
    { timeout: 120_000 },
    async (mutant, { direct, onTestFinished }) => {
      const { scripts, remove } = await createMutatedScripts(mutant);
      onTestFinished(remove);
      const caught = await checkConditions(direct, createScripts("lock", scripts), {
        numRuns: 500,
        endOnFailure: true,
        seed: 78,
      }).then(
        () => "survived",
        () => "caught",
      );
      expect(caught).toBe("caught");
    },
  );
});
