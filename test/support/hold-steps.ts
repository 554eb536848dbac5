import fc from "fast-check";

/** How a request refers to a hold: correctly, with the fence of another hold, or as another principal. */
export type Naming = "as_acquired" | "other_fence" | "other_principal";

/** A change to the lock by another client, by expiry or by eviction. */
export type MeddlingStep =
  | { readonly do: "delete" | "expire" | "acquire_foreign" | "evict_companion" }
  | { readonly do: "recreate_with_owner_text" | "recreate_with_token"; readonly slot: number };

/** A step on a lock. Each of four slots has at most one hold, and all slots use the same lock. */
export type HoldStep =
  | { readonly do: "acquire"; readonly slot: number; readonly principal: string }
  | {
      readonly do: "reenter" | "renew" | "release" | "verify";
      readonly slot: number;
      readonly naming: Naming;
    }
  | {
      readonly do: "repeat_acquire" | "repeat_reenter" | "repeat_release" | "release_all" | "force_release";
      readonly slot: number;
    }
  | MeddlingStep;

const slot = fc.integer({ min: 0, max: 3 });
const principal = fc.constantFrom("", "", "key-1", "key-2");
const naming: fc.Arbitrary<Naming> = fc.oneof(
  { weight: 5, arbitrary: fc.constant("as_acquired" as const) },
  fc.constantFrom("other_fence" as const, "other_principal" as const),
);

export const holdStep: fc.Arbitrary<HoldStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("acquire" as const), slot, principal }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("repeat_acquire" as const), slot }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom("reenter", "renew", "release", "verify" as const),
      slot,
      naming,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom("repeat_reenter", "repeat_release" as const), slot }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("release_all", "force_release" as const), slot }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("delete", "expire", "acquire_foreign" as const) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("evict_companion" as const) }) },
  fc.record({ do: fc.constantFrom("recreate_with_owner_text", "recreate_with_token" as const), slot }),
);

export const describeStep = (step: HoldStep) =>
  `${step.do}${"slot" in step ? ` ${step.slot}` : ""}${"naming" in step ? ` ${step.naming}` : ""}${"principal" in step ? ` by ${step.principal || "the library"}` : ""}`;
