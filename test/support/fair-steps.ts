import fc from "fast-check";

/** Number of clients of Lockkeeper, and of Redisson. */
export const FAIR_CLIENTS = 4;

/**
 * A step on a fair lock. `ours` is the index of a Lockkeeper client, and `theirs` is the index of a Redisson client.
 */
export type FairStep =
  | { readonly do: "wait" | "acquire_now" | "stall" | "leave" | "keep"; readonly ours: number }
  | { readonly do: "wait" | "time_out"; readonly theirs: number }
  | { readonly do: "release" | "release_reserved" | "expire" | "force_release" };

const ours = fc.nat({ max: FAIR_CLIENTS - 1 });

/** Generates random steps. Waits and releases are more frequent because the other steps need a queue. */
export const fairStep: fc.Arbitrary<FairStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("wait" as const), ours }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), theirs: ours }) },
  { weight: 4, arbitrary: fc.constant({ do: "release" as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("acquire_now" as const, "stall" as const, "leave" as const, "keep" as const),
      ours,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("time_out" as const), theirs: ours }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("release_reserved" as const, "expire" as const, "force_release" as const),
    }),
  },
);

export function describeFairStep(step: FairStep): string {
  if ("ours" in step) return `${step.do} of ours ${step.ours}`;
  return "theirs" in step ? `${step.do} of theirs ${step.theirs}` : step.do;
}
