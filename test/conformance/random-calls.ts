import fc from "fast-check";
import { describe, it } from "vitest";
import type { ConformanceFixture, Feature } from "./conformance-fixture.ts";
import { LockModel, type ModelCall } from "./lock-model.ts";

const RUNS = 60;
const STEPS_MAX = 25;

type Step = (model: LockModel) => Promise<void>;

const principal = fc.constantFrom(undefined, "key-1");
const never: fc.Arbitrary<boolean> = fc.constant(false);
const rarely = fc.oneof({ weight: 7, arbitrary: never }, { weight: 1, arbitrary: fc.constant(true) });
const mostly = rarely.map((isRare) => !isRare);
const mostlyOwn = fc.oneof(
  { weight: 6, arbitrary: fc.constant("own" as const) },
  { weight: 1, arbitrary: fc.constantFrom("library" as const, "key-2" as const) },
);
// Mostly chooses the latest hold, because it is the most likely to exist.
const back = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) });

/** Adds a name to a step, which is printed if a sequence of calls fails. */
function namedStep(name: string, run: Step): Step {
  return Object.assign(run, { [fc.toStringMethod]: () => name });
}

const toStep = (call: ModelCall) => namedStep(JSON.stringify(call), (model) => model.call(call));

const anyAcquire = fc
  .record({ verb: fc.constant("acquire" as const), owner: fc.constantFrom("a", "b"), principal })
  .map(toStep);

const anyHoldCall = (
  verb: "reenter" | "renew" | "release",
  hasRequestId: fc.Arbitrary<boolean>,
  reserves = never,
) =>
  fc
    .record({
      verb: fc.constant(verb),
      back,
      asker: mostlyOwn,
      hasOtherFence: rarely,
      hasRequestId,
      reserves,
    })
    .map(toStep);

// Mostly repeats the previous call, as after a lost reply.
const anyRepeat = fc
  .oneof(fc.constant(0), fc.nat(4))
  .map((calls) => namedStep(`repeat ${calls} back`, (model) => model.repeat(calls)));
const anyLoss = fc
  .constantFrom("lock" as const, "companion" as const, "everything" as const)
  .map((what) => namedStep(`lose ${what}`, (model) => model.deleteKeys(what)));
const anyForceRelease = back.map((holds) =>
  namedStep(`force ${holds} back`, (model) => model.forceRelease(holds)),
);

export function describeRandomCalls(scene: ConformanceFixture): void {
  const has = (feature: Feature) => scene.format.lacks?.[feature] === undefined;
  const steps = fc.oneof(
    { weight: 4, arbitrary: anyAcquire },
    { weight: 6, arbitrary: anyHoldCall("reenter", mostly) },
    { weight: 3, arbitrary: anyHoldCall("renew", mostly) },
    { weight: 6, arbitrary: anyHoldCall("release", mostly, has("hold-off") ? rarely : never) },
    { weight: 2, arbitrary: anyLoss },
    { weight: has("request-ids") ? 4 : 0, arbitrary: anyRepeat },
    { weight: has("force-release") ? 1 : 0, arbitrary: anyForceRelease },
  );

  describe("random call sequences", () => {
    it("the lock matches a reference model after every call of a random sequence", async () => {
      const runs = fc.asyncProperty(fc.array(steps, { maxLength: STEPS_MAX, size: "max" }), async (taken) => {
        const model = new LockModel(scene);
        for (const take of taken) {
          await take(model);
          await model.assertSameState();
        }
      });
      await fc.assert(runs, { numRuns: RUNS });
    });
  });
}
