import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { getCurrentMoment } from "../../lib/client/moment.ts";
import { LostError } from "../../server/errors/lock-errors.ts";
import type { Hold } from "../../server/locks/client/hold.ts";
import { HoldLeases } from "../../server/locks/client/hold-leases.ts";
import { NO_CONDITIONS, NO_LATCHES } from "../../server/locks/quorum/no-shared-objects.ts";
import type { Grant, Released } from "../../server/locks/verbs/contract/grant.ts";
import type { OperatorVerbs } from "../../server/locks/verbs/contract/verbs.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const LEASE_MS = 600;

/**
 * What happens to a renewal. `answered`: Redis executes the renewal and replies. `answer_lost`: the renewal is
 * executed, but the reply is lost. `refused`: the renewal never arrives. `untold`: the result is not known yet.
 */
type Fate = "answered" | "answer_lost" | "refused" | "untold";

/** Creates verbs that all fail except `release`. */
function createVerbs(release: OperatorVerbs["release"]): OperatorVerbs {
  const refuse = () => Promise.reject(new Error("not expected"));
  return {
    latches: NO_LATCHES,
    conditions: NO_CONDITIONS,
    clientId: "5f5cdb9a-0f5c-4a3c-9c0e-0a4b3a1de5ae",
    ...{
      acquire: refuse,
      acquireAll: refuse,
      setLimit: refuse,
      reenter: refuse,
      renew: refuse,
      verify: refuse,
      downgrade: refuse,
      reserve: refuse,
    },
    ...{
      renewHolds: refuse,
      forceRelease: refuse,
      extend: refuse,
      requestRelease: refuse,
      answerReleaseRequest: refuse,
      release,
    },
  };
}

/** A lock in a simulated Redis, which replies when the test calls `settle`. */
class WatchdogFixture {
  readonly #waiting: ((fate: Fate, lateMs: number) => void)[] = [];
  endsAt = performance.now() + LEASE_MS;
  renewals = 0;
  released = false;
  /** Number of renewals that were executed or sent after the release. */
  orphans = 0;
  readonly hold: Hold;

  constructor(onJeopardy?: () => void) {
    const verbs = createVerbs(() => this.#release());
    const leases = new HoldLeases(
      { verbs, renewMany: () => this.#renewMany(), onForceRelease: () => undefined },
      "default",
    );
    const grant: Grant = {
      key: "lock:1",
      ...{ format: "redisson", unit: undefined, token: `${verbs.clientId}:1`, fence: "1795219195021038" },
      ...{ owner: "me", count: 1, leaseMs: LEASE_MS, remainingMs: LEASE_MS, asOf: 0 },
    };
    this.hold = leases.open([grant, getCurrentMoment()], { renew: true, onJeopardy });
  }

  get underWay(): number {
    return this.#waiting.length;
  }

  /** Executes the oldest pending renewal. The reply arrives after `lateMs`. */
  settle(fate: Fate, lateMs = 0): void {
    this.#waiting.shift()?.(fate, lateMs);
  }

  #renewMany(): Promise<(number | null | undefined)[]> {
    this.renewals++;
    if (this.released) this.orphans++;
    return new Promise((resolve, reject) => {
      this.#waiting.push((fate, lateMs) => {
        if (fate === "refused") return reject(new Error("READONLY"));
        if (fate === "untold") return resolve([undefined]);
        const remaining = this.#run();
        if (fate === "answered") setTimeout(() => resolve([remaining]), lateMs);
      });
    });
  }

  /** Renews the lease if it still exists. Like the script, does not recreate an ended hold. */
  #run(): number | null {
    if (this.released || performance.now() >= this.endsAt) return null;
    this.endsAt = performance.now() + LEASE_MS;
    return LEASE_MS;
  }

  async #release(): Promise<Released> {
    const outcome = performance.now() < this.endsAt ? "released" : "not_held";
    this.released = true;
    return { outcome, count: 0, asOf: 0 };
  }
}

function assertBelief({ hold, endsAt, released }: WatchdogFixture): void {
  const believed = hold.state === "held" || hold.state === "jeopardy";
  if (believed) expect(performance.now()).toBeLessThan(endsAt);
  expect(believed && released).toBe(false);
  expect(hold.signal.aborted).toBe(hold.state === "lost");
}

type Step = { readonly ms: number } | { readonly fate: Fate; readonly lateMs: number } | "release";

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ms: fc.integer({ min: 1, max: 250 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      fate: fc.constantFrom<Fate>("answered", "answered", "answer_lost", "refused", "untold"),
      lateMs: fc.integer({ min: 0, max: 95 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>("release") },
);

describe("hazard 12: renewal racing a release", () => {
  it("in any order of events, no renewal runs after the release and no hold outlives its lease in Redis", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 40 }), async (steps) => {
        const scene = new WatchdogFixture();
        let ending: Promise<Released> | undefined;
        for (const step of steps) {
          if (step === "release") ending ??= scene.hold.release();
          else if ("fate" in step) scene.settle(step.fate, step.lateMs);
          const ms = step !== "release" && "ms" in step ? step.ms : 0;
          for (let passed = 0; passed <= ms; passed += 10) {
            await vi.advanceTimersByTimeAsync(Math.min(10, ms));
            assertBelief(scene);
          }
        }
        const sent = scene.renewals;
        ending ??= scene.hold.release();
        await vi.advanceTimersByTimeAsync(10 * LEASE_MS);
        await ending;
        expect(scene.orphans).toBe(0);
        expect(scene.renewals).toBe(sent);
      }),
      { numRuns: 120 },
    );
  }, 30_000);

  it("the lease of a renewal counts from the time it was sent, however late the reply", async () => {
    const scene = new WatchdogFixture();
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3 + 5);
    scene.settle("answered", 90);
    await vi.advanceTimersByTimeAsync(90);
    expect(scene.hold.remainingMs()).toBe(LEASE_MS - 95);
  });

  it("a renewal reply after the deadline does not revive the hold", async () => {
    const scene = new WatchdogFixture();
    await vi.advanceTimersByTimeAsync(LEASE_MS - 10);
    expect(scene.hold.state).toBe("jeopardy");
    while (scene.underWay > 0) scene.settle("answered", 20);
    await vi.advanceTimersByTimeAsync(15);
    expect(scene.hold.state).toBe("lost");
    await vi.advanceTimersByTimeAsync(15);
    expect(scene.hold.state).toBe("lost");
    expect(() => scene.hold.assertHeld()).toThrow(LostError);
  });

  it("a release waits for a pending renewal that may still be answered", async () => {
    const scene = new WatchdogFixture();
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3);
    expect(scene.underWay).toBe(1);
    const released = scene.hold.release();
    await vi.advanceTimersByTimeAsync(0);
    expect(scene.released).toBe(false);
    scene.settle("answered");
    await vi.advanceTimersByTimeAsync(0);
    expect(await released).toMatchObject({ outcome: "released" });
  });
});

describe("hazard 13: stalled watchdog", () => {
  it("a failed renewal is retried until the deadline and never after it", async () => {
    const scene = new WatchdogFixture();
    for (let ms = 0; ms < 2 * LEASE_MS; ms += 10) {
      scene.settle(ms % 20 === 0 ? "refused" : "untold");
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(scene.renewals).toBeGreaterThanOrEqual(5);
    expect(scene.hold.state).toBe("lost");
    const { renewals } = scene;
    await vi.advanceTimersByTimeAsync(5 * LEASE_MS);
    expect(scene.renewals).toBe(renewals);
  });

  it("a hold survives missing replies as long as one renewal is answered in time", async () => {
    const scene = new WatchdogFixture();
    for (let round = 0; round < 5; round++) {
      // The first attempt of each round receives no reply, and the next attempt does.
      await vi.advanceTimersByTimeAsync(LEASE_MS / 3 + 101);
      expect(scene.hold.state).toBe("jeopardy");
      await vi.advanceTimersByTimeAsync(60);
      scene.settle("answer_lost");
      scene.settle("answered");
      await vi.advanceTimersByTimeAsync(0);
      expect(scene.hold.state).toBe("held");
    }
  });

  it("a throwing listener does not stop renewals, and its error reaches the process", async () => {
    const heard: unknown[] = [];
    const others = process.rawListeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", (error) => heard.push(error));
    const mine = new Error("mine");
    const scene = new WatchdogFixture(() => {
      throw mine;
    });
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3);
    scene.settle("refused");
    await vi.advanceTimersByTimeAsync(LEASE_MS / 10);
    scene.settle("answered");
    await vi.advanceTimersByTimeAsync(0);
    const { state } = scene.hold;
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners("uncaughtException");
    for (const other of others) process.on("uncaughtException", other as NodeJS.UncaughtExceptionListener);
    expect(state).toBe("held");
    expect(heard).toEqual([mine]);
  });
});
