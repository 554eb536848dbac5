import fc from "fast-check";

export const CONDITION_CLIENTS = 5;
/** Number of steps in a test. Use `LOCKKEEPER_TEST_STEPS=10000` for a long run. */
export const CONDITION_STEPS = Number(process.env.LOCKKEEPER_TEST_STEPS ?? 1500);
/** Names of two conditions. One name is a prefix of the other. */
export const CONDITION_NAMES = ["full", "full-2"] as const;
export type ConditionName = (typeof CONDITION_NAMES)[number];

/** A step on the conditions of a lock. Steps of the holder have no effect while the lock is free. */
export type ConditionStep =
  | {
      readonly do: "acquire" | "reacquire" | "renew" | "stop" | "leave" | "keep" | "die";
      readonly client: number;
    }
  | { readonly do: "wait"; readonly client: number; readonly condition: ConditionName }
  | { readonly do: "await"; readonly condition: ConditionName }
  | { readonly do: "repeat_await" | "await_lost" | "signal_lost"; readonly client: number }
  | { readonly do: "signal" | "signal_all"; readonly condition: ConditionName }
  | { readonly do: "repeat_signal" | "reenter" | "release" | "expire" };

const client = fc.nat({ max: CONDITION_CLIENTS - 1 });
const condition = fc.constantFrom(...CONDITION_NAMES);

const toClientStep = <Do extends string>(...names: Do[]) =>
  fc.record({ do: fc.constantFrom(...names), client });

/** Generates random steps. Acquires, waits and signals are more frequent because the other steps need waiters. */
export const conditionStep: fc.Arbitrary<ConditionStep> = fc.oneof(
  // Waits have a high weight. Otherwise, two clients would rarely wait for the same condition.
  { weight: 8, arbitrary: fc.record({ do: fc.constant("wait" as const), client, condition }) },
  { weight: 5, arbitrary: toClientStep("acquire") },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("await" as const), condition }) },
  { weight: 4, arbitrary: toClientStep("reacquire") },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("signal" as const), condition }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("signal_all" as const), condition }) },
  { weight: 3, arbitrary: toClientStep("die") },
  { weight: 3, arbitrary: toClientStep("leave") },
  { weight: 4, arbitrary: toClientStep("renew", "stop", "keep", "repeat_await") },
  { weight: 1, arbitrary: toClientStep("await_lost", "signal_lost") },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "repeat_signal" as const,
        "reenter" as const,
        "release" as const,
        "release" as const,
        "expire" as const,
      ),
    }),
  },
);

export function describeConditionStep(step: ConditionStep): string {
  if ("client" in step) return `${step.do} of ${step.client}`;
  return "condition" in step ? `${step.do} ${step.condition}` : step.do;
}
