import fc from "fast-check";
import { describe, it } from "vitest";
import type { ConformanceFixture, Feature } from "./conformance-fixture.ts";
import { LockModel } from "./lock-model.ts";

const OWNERS = ["a", "b"] as const;
const RUNS = 30;
const STEPS_MAX = 25;

type Step = (model: LockModel) => Promise<void>;

const owner = fc.constantFrom(...OWNERS);
const principal = fc.constantFrom(undefined, "key-1", "key-2");
const never: fc.Arbitrary<boolean> = fc.constant(false);
const rarely = fc.oneof({ weight: 4, arbitrary: never }, { weight: 1, arbitrary: fc.constant(true) });

/** Tells a failing order of calls by their names. */
function namedStep(name: string, run: Step): Step {
  return Object.assign(run, { [fc.toStringMethod]: () => name });
}

const anyCall = (verb: "acquire" | "renew" | "release", holdsOff = never) =>
  fc
    .record({ verb: fc.constant(verb), owner, principal, isReentrant: fc.boolean(), holdsOff })
    .map((asked) => namedStep(`${verb} ${JSON.stringify(asked)}`, (model) => model.call(asked)));

const anyRepeat = fc.nat(4).map((back) => namedStep(`repeat ${back} back`, (model) => model.repeat(back)));
const anyLoss = fc
  .constantFrom("lock" as const, "everything" as const)
  .map((what) => namedStep(`lose ${what}`, (model) => model.deleteKeys(what)));
const anyForceRelease = fc
  .constantFrom("now" as const, "before" as const)
  .map((seen) => namedStep(`force ${seen}`, (model) => model.forceRelease(seen)));

export function describeRandomCalls(scene: ConformanceFixture): void {
  const has = (feature: Feature) => scene.format.lacks?.[feature] === undefined;
  const steps = fc.oneof(
    { weight: 6, arbitrary: anyCall("acquire") },
    { weight: 3, arbitrary: anyCall("renew") },
    { weight: 5, arbitrary: anyCall("release", has("hold-off") ? rarely : never) },
    { weight: 1, arbitrary: anyLoss },
    { weight: has("request-ids") ? 4 : 0, arbitrary: anyRepeat },
    { weight: has("force-release") ? 1 : 0, arbitrary: anyForceRelease },
  );

  describe("random call sequences", () => {
    it("the lock matches a reference model after every call of a random sequence", async () => {
      const runs = fc.asyncProperty(fc.array(steps, { maxLength: STEPS_MAX, size: "max" }), async (taken) => {
        const model = new LockModel(scene, OWNERS);
        for (const take of taken) {
          await take(model);
          await model.assertSameState();
        }
      });
      await fc.assert(runs, { numRuns: RUNS });
    });
  });
}
