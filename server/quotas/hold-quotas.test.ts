import { expect, it } from "vitest";
import { parseKeyFields } from "../../lib/keys/key.ts";
import { createForeignHolder, type HeldObservation, type Observation } from "../formats/observation.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import type { Watcher } from "../watch/watcher.ts";
import { HoldQuotas } from "./hold-quotas.ts";

const KEY = parseKeyFields({ key: "lock:orders" });
const TOKEN = parseKeyFields({ key: "token-1" });

/** Creates quotas, and returns them with the listener that they register with the watcher of a target. */
function watchQuotas() {
  const quotas = new HoldQuotas({ holdsMax: 1, bytesMax: 10_000 });
  let report: Parameters<Watcher["onReading"]>[0] = () => undefined;
  const watcher: Pick<Watcher, "onReading"> = {
    onReading(listener) {
      report = listener;
      return () => undefined;
    },
  };
  quotas.watchTarget({ name: "default", watcher });
  return {
    quotas,
    observe: (observation: Observation, readAt?: number) =>
      report(KEY, undefined, {} as ObservedHold, 0, observation, readAt),
  };
}

function buildObservation(kind: "lock" | "semaphore", token = TOKEN): HeldObservation {
  const holder = { ...createForeignHolder(token), principal: "app" };
  const lock = { format: "redisson", kind, confidence: "certain", candidates: [], holders: [holder] };
  return {
    state: "held",
    key: KEY,
    type: "hash",
    asOf: 1,
    remainingMs: 1000,
    ...lock,
  } as unknown as HeldObservation;
}

it.each(["lock", "semaphore"] as const)(
  "a %s that was released does not count again if it was read before and reported after",
  (kind) => {
    const { quotas, observe } = watchQuotas();
    const hold = { target: "default", key: KEY, kind, token: "token-1" };
    const claim = quotas.claim({ id: "app", quota: undefined }, hold, { owner: "app" });
    claim.confirm(1000);
    observe(buildObservation(kind));
    expect(quotas.getUsage("app").holds).toBe(1);
    quotas.forget(hold);
    // The key is in the index, so its holds count even if this instance did not grant them.
    observe(buildObservation(kind));
    expect(quotas.getUsage("app").holds).toBe(0);
  },
);

const FREE = { state: "free", key: KEY, asOf: 1 } as const;
const VOTES = { of: 3, known: 1, agreement: "none", owners: [] } as const;

it.each([
  ["a read sent before its grant shows the key free", FREE, 0],
  ["a quorum whose masters have not all seen it reports the key free", FREE, undefined],
  [
    "a quorum has not decided whether the key is held",
    { ...FREE, votes: { ...VOTES, state: "undecided" } },
    undefined,
  ],
  ["a read sent before its grant shows an earlier hold", buildObservation("lock"), 0],
  ["a quorum still reports an earlier hold", buildObservation("lock"), undefined],
] as const)("a new hold counts while %s", (_case, observation, readAt) => {
  const { quotas, observe } = watchQuotas();
  const hold = { target: "default", key: KEY, token: "token-2" };
  quotas.claim({ id: "app", quota: undefined }, hold, { owner: "app" }).confirm(1000);
  quotas.forget({ ...hold, token: "token-1" });
  observe(observation, readAt);
  expect(quotas.getUsage("app").holds).toBe(1);
  if (observation.state === "held") return;
  // Once observed, the hold ends with the first observation that does not show it.
  observe(buildObservation("lock", parseKeyFields({ key: "token-2" })));
  observe(FREE);
  expect(quotas.getUsage("app").holds).toBe(0);
});

it("a hold that was released through another instance before it was observed no longer counts", () => {
  const { quotas, observe } = watchQuotas();
  const hold = { target: "default", key: KEY, token: "token-1" };
  quotas.claim({ id: "app", quota: undefined }, hold, { owner: "app" }).confirm(1000);
  observe(FREE, performance.now());
  expect(quotas.getUsage("app").holds).toBe(0);
});
