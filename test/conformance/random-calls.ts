import fc from "fast-check";
import { describe, it } from "vitest";
import type { Feature, Scene } from "./conformance-fixture.ts";
import { Model } from "./lock-model.ts";

const OWNERS = ["a", "b"] as const;
const RUNS = 30;
const STEPS_MAX = 25;

type Step = (model: Model) => Promise<void>;

const owner = fc.constantFrom(...OWNERS);
const principal = fc.constantFrom(undefined, "key-1", "key-2");
const never: fc.Arbitrary<boolean> = fc.constant(false);
const rarely = fc.oneof({ weight: 4, arbitrary: never }, { weight: 1, arbitrary: fc.constant(true) });

/** Tells a failing order of calls by their names. */
function step(name: string, run: Step): Step {
  return Object.assign(run, { [fc.toStringMethod]: () => name });
}

const call = (verb: "acquire" | "renew" | "release", holdsOff = never) =>
  fc
    .record({ verb: fc.constant(verb), owner, principal, isReentrant: fc.boolean(), holdsOff })
    .map((asked) => step(`${verb} ${JSON.stringify(asked)}`, (model) => model.call(asked)));

const repeat = fc.nat(4).map((back) => step(`repeat ${back} back`, (model) => model.repeat(back)));
const lose = fc
  .constantFrom("lock" as const, "everything" as const)
  .map((what) => step(`lose ${what}`, (model) => model.lose(what)));
const force = fc
  .constantFrom("now" as const, "before" as const)
  .map((seen) => step(`force ${seen}`, (model) => model.force(seen)));

export function anyOrder(scene: Scene): void {
  const has = (feature: Feature) => scene.spoken.lacks?.[feature] === undefined;
  const steps = fc.oneof(
    { weight: 6, arbitrary: call("acquire") },
    { weight: 3, arbitrary: call("renew") },
    { weight: 5, arbitrary: call("release", has("hold-off") ? rarely : never) },
    { weight: 1, arbitrary: lose },
    { weight: has("request-ids") ? 4 : 0, arbitrary: repeat },
    { weight: has("force-release") ? 1 : 0, arbitrary: force },
  );

  describe("random call sequences", () => {
    it("the lock matches a reference model after every call of a random sequence", async () => {
      const runs = fc.asyncProperty(fc.array(steps, { maxLength: STEPS_MAX, size: "max" }), async (taken) => {
        const model = new Model(scene, OWNERS);
        for (const take of taken) {
          await take(model);
          await model.compare();
        }
      });
      await fc.assert(runs, { numRuns: RUNS });
    });
  });
}
