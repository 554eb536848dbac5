import { expect, it } from "vitest";
import { parseKeyFields } from "../../lib/keys/key.ts";
import { createForeignHolder, type HeldObservation } from "../formats/observation.ts";
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
    observe: (observation: HeldObservation) => report(KEY, undefined, {} as ObservedHold, 0, observation),
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
