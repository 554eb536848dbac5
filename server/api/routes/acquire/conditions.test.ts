import { beforeEach, expect, it } from "vitest";
import { UnknownOutcomeError } from "../../../errors/redis-errors.ts";
import { createForeignHolder, type HeldObservation } from "../../../formats/observation.ts";
import type { ConditionVerbs } from "../../../locks/verbs/contract/condition-verbs.ts";
import type { Grant } from "../../../locks/verbs/contract/grant.ts";
import { HoldQuotas } from "../../../quotas/hold-quotas.ts";
import type { ObservedHold } from "../../../watch/holds/observed-hold.ts";
import type { Watcher } from "../../../watch/watcher.ts";
import { PendingRequests } from "../../routing/pending-requests.ts";
import type { AnyCall } from "../../routing/route.ts";
import { createConditionRoutes } from "./conditions.ts";

const HOLD = { target: "default", key: "lock:buffer", format: "redisson", token: "token-1", fence: "1" };
const AGAIN = {
  ...HOLD,
  owner: "app",
  token: "token-2",
  fence: "2",
  count: 1,
  leaseMs: 9000,
  remainingMs: 9000,
};
const PRINCIPAL = { id: "app", name: "key:app", quota: undefined };
/** An observation of the hold from before it was given up. */
const BEFORE = {
  ...{
    state: "held",
    key: HOLD.key,
    type: "hash",
    asOf: 1,
    remainingMs: 9000,
    format: "redisson",
    kind: "lock",
  },
  holders: [{ ...createForeignHolder(HOLD.token), principal: PRINCIPAL.id }],
} as unknown as HeldObservation;

let quotas: HoldQuotas;
let observe: (observation: HeldObservation) => void;

beforeEach(() => {
  quotas = new HoldQuotas({ holdsMax: 1, bytesMax: 10_000 });
  const watcher: Pick<Watcher, "onReading"> = {
    onReading(report) {
      observe = (observation) => report(HOLD.key, undefined, {} as ObservedHold, 0, observation, undefined);
      return () => undefined;
    },
  };
  quotas.watchTarget({ name: HOLD.target, watcher });
  observe(BEFORE);
});

/** Calls the handler of the `awaitCondition` route with `verb` as the implementation of `await`. */
async function awaitCondition(verb: ConditionVerbs["await"]) {
  const services = { pendingRequests: new PendingRequests(), quotas };
  const route = createConditionRoutes(services).find(({ operationId }) => operationId === "awaitCondition");
  const request = { detach: () => new AbortController().signal };
  const target = { name: HOLD.target, locks: { conditions: { await: verb } } };
  const body = { waitMs: 1000, reacquireMs: 1000 };
  return await route?.handle({
    target,
    hold: HOLD,
    id: "ready",
    body,
    principal: PRINCIPAL,
    request,
  } as unknown as AnyCall);
}

it("a hold that waits counts once, also if it was read before it was given up and reported after", async () => {
  const usages: number[] = [];
  const response = await awaitCondition(async (_hold, _name, { onGivenUp }) => {
    onGivenUp?.();
    observe(BEFORE);
    usages.push(quotas.getUsage("app").holds);
    const grant = { ...AGAIN, unit: undefined, asOf: 2 } as unknown as Grant;
    return { grant, isReplayed: false, isSignalled: true, abandon: () => undefined };
  });
  expect(response).toMatchObject({ status: 200, verbEnd: { outcome: "signalled" } });
  expect([...usages, quotas.getUsage("app").holds]).toEqual([1, 1]);
});

it("a hold counts if it is unknown whether it was acquired again, and does not if it was not", async () => {
  const failWith = (error: Error) =>
    awaitCondition((_hold, _name, { onGivenUp }) => {
      onGivenUp?.();
      return Promise.reject(error);
    }).catch((thrown: unknown) => thrown);
  const unknown = new UnknownOutcomeError("The connection was lost.");
  expect(await failWith(unknown)).toBe(unknown);
  expect(quotas.getUsage("app").holds).toBe(1);
  await failWith(new Error("timeout"));
  expect(quotas.getUsage("app").holds).toBe(0);
});
